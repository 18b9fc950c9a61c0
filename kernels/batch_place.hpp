#pragma once

#include "kalaba/core/loop/member_work.hpp"
#include "kernels/batch.hpp"

namespace kalaba {

/// Rows of the batch of a MemberWork.
template <class Work>
inline constexpr BatchLayout layout_of = {Work::np,         Work::nq, Work::n,      Work::rotations,
                                          Work::persistent, 0,        Work::columns};

/// Access to one member of a batch.
template <class Work>
struct BatchPlace {
  static constexpr BatchLayout layout = layout_of<Work>;
  Batch batch;
  long index;

  template <class X>
  KALABA_FN X get(Part part, int row) const {
    constexpr BatchLayout rows = layout;  // a local constant, which device code can use
    return static_cast<X>(batch.at(rows.first(part) + row, index));
  }
  template <class X>
  KALABA_FN void put(Part part, int row, const X& value) const {
    constexpr BatchLayout rows = layout;
    batch.at(rows.first(part) + row, index) = static_cast<double>(value);
  }
  template <class X>
  KALABA_FN X status() const {
    return static_cast<X>(batch.at(layout.status(), index));
  }
  template <class X, class TimeOf>
  KALABA_FN void end(const X& code, const TimeOf& time_of) const {
    double& status = batch.at(layout.status(), index);
    const auto now = static_cast<double>(code);
    if (status != now) batch.at(layout.failure_time(), index) = time_of(0);
    status = now;
  }
  KALABA_FN static constexpr NoPause pause() { return {}; }
  template <class X>
  KALABA_FN X ended(double time) const {
    const double end = batch.at(layout.failure_time(), index);
    return static_cast<X>(end == end ? end : time);
  }
};

/// Output of the observations of one member: its status, then the fields whose bits are set, in the order of Field, as
/// rows with the batch's stride.
struct BatchOut {
  double* out;
  long stride;
  long index;
  unsigned fields;
  int row = 1;

  template <class X>
  KALABA_FN void status(const X& code) {
    out[index] = static_cast<double>(code);
  }
  template <class X>
  KALABA_FN void put(Field field, const X* values, int components) {
    if ((fields >> static_cast<int>(field) & 1U) == 0) return;
    for (int i = 0; i < components; ++i) out[(row + i) * stride + index] = static_cast<double>(values[i]);
    row += components;
  }
};

}  // namespace kalaba
