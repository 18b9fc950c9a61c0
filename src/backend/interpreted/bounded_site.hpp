#pragma once

#include "backend/interpreted/interpreted.hpp"
#include "backend/interpreted/observed_components.hpp"
#include "kalaba/backend/pack_work.hpp"

namespace kalaba {

/// Access to a pack in a block whose model has smaller extents than the core's loops: the remaining numbers are zero.
template <class X>
struct BoundedPlace {
  PackPlace<X> inner;
  const InterpretedModel& model;

  template <class>
  KALABA_FN X get(Part part, int row) const {
    const int there = row_of(part, row);
    return there < 0 ? X(0) : inner.template get<X>(part, there);
  }
  KALABA_FN void put(Part part, int row, const X& value) const {
    const int there = row_of(part, row);
    if (there >= 0) inner.put(part, there, value);
  }
  template <class>
  KALABA_FN X status() const {
    return inner.template status<X>();
  }
  template <class TimeOf>
  KALABA_FN void end(const X& status, const TimeOf& time_of) const {
    inner.end(status, time_of);
  }
  KALABA_FN PauseWord pause() const { return inner.pause(); }
  template <class>
  KALABA_FN X ended(double time) const {
    return inner.template ended<X>(time);
  }

 private:
  KALABA_FN static int within(int row, int rows) { return row < rows ? row : -1; }

  /// Returns -1 if the block has no such row.
  int row_of(Part part, int row) const {
    switch (part) {
      case Part::parameters:
        return within(row, model.parameters);
      case Part::q:
        return within(row, model.coordinates);
      case Part::w:
        return within(row, model.rates);
      case Part::events:
        return event_row(row);
      default:
        return row;
    }
  }
  int event_row(int row) const {
    const EventRows bounds = {model.map.state, model.map.state};
    const EventRows own = {model.coordinates, model.rates};
    if (row < own.count(0)) return row;
    const int event = (row - bounds.count(0)) / bounds.each();
    if (row >= bounds.w(event)) {
      const int i = within(row - bounds.w(event), model.rates);
      return i < 0 ? i : own.w(event) + i;
    }
    if (row >= bounds.q(event)) {
      const int i = within(row - bounds.q(event), model.coordinates);
      return i < 0 ? i : own.q(event) + i;
    }
    return own.count(event) + row - bounds.count(event);
  }
};

/// Output of the observations of such a pack. Padding rows are excluded from the rank.
template <class X>
struct BoundedOut {
  PackOut<X> inner;
  const InterpretedModel& model;

  KALABA_FN void status(const X& status) const { inner.status(status); }
  void put(Field field, const X* values, int components) const {
    if (field == Field::rank) {
      const X rank = values[0] - X(model.filled_rows());
      inner.put(field, &rank, 1);
    } else {
      const int own = observed_components(model, field);
      inner.put(field, values, own < components ? own : components);
    }
  }
};

/// Access to the packs of a call, with the interpretation of the calling thread.
template <class X>
struct BoundedSite {
  const PackCall& call;
  const InterpretedModel& model;

  BoundedSite(const PackCall& asked, void* memory)
      : call(asked), model(*static_cast<const InterpretedModel*>(asked.model)) {
    X* const registers = static_cast<X*>(memory);
    for (int i = 0; i < model.registers; ++i) registers[i] = X(0);
    for (const auto& [place, value] : model.constants) registers[place] = X(value);
    interpretation = {&model, registers};
  }
  BoundedSite(const BoundedSite&) = delete;
  BoundedSite& operator=(const BoundedSite&) = delete;
  ~BoundedSite() { interpretation = {}; }

  BoundedPlace<X> place(long pack) const { return {{call.rows, pack * X::lanes, call.pause}, model}; }
  BoundedOut<X> out(const ObservedRows& rows, long pack) const {
    return {{rows, call.rows.stride, pack * X::lanes}, model};
  }
  const Watch& watch() const { return *call.watch; }
};

}  // namespace kalaba
