#pragma once

#include "kalaba/core/events/event.hpp"
#include "kalaba/core/events/gap_search.hpp"
#include "kalaba/core/events/part_ends.hpp"

namespace kalaba::detail {

/// Errors of polynomials through samples of the events of closed contacts in a step, and the lanes in which samples do
/// not determine the sign of a value: its polynomial comes near zero, relative to its error, and is not steep there.
template <class X>
struct Resolution {
  static constexpr int probes = 3;
  static constexpr double of_difference = 0.05;  ///< error of a polynomial, relative to its fourth difference
  static constexpr double far = 8;               ///< distance from zero at which a sign is certain, in errors
  static constexpr double steep = 20;            ///< change within a part with which a zero is certain, in errors
  static constexpr double fine = 256;            ///< factor of both with which no further probe is necessary
  static constexpr double roundings = 256;       ///< of the largest force, in a force
  static constexpr double noise = 64;            ///< largest ratio of errors of rounding

  X error[Watch::most_events];
  X rounding[Watch::most_events];  ///< errors up to it are rounding
  MaskOf<X> doubtful[Watch::most_events];

  /// The probes lie in three parts of a step, at places that are no multiples of the parts.
  KALABA_FN static constexpr int part_of(int probe, int parts) {
    return probe == 0 ? GapSearch<X>::probed_part(parts) : probe == 1 ? 0 : parts - 1;
  }
  KALABA_FN static constexpr double place_in_part(int probe) {
    return probe == 0 ? GapSearch<X>::probe : probe == 1 ? 0.295438 : 0.726951;
  }
  KALABA_FN static constexpr double place(int probe, int parts) {
    return (part_of(probe, parts) + place_in_part(probe)) / parts;
  }

  /// Sets the lanes in which the events of contacts are examined: those in which the contact is closed. Returns the
  /// lanes with such an event.
  KALABA_FN MaskOf<X> begin(const Watch& watch, const X* p, const MaskOf<X>& moved) {
    MaskOf<X> some = X(1) < X(0);
    for (int event = 0; event < watch.count; ++event) doubtful[event] = X(1) < X(0);
    for (int i = 0; i < watch.contact_count; ++i) {
      const WatchedContact& contact = watch.contacts[i];
      const MaskOf<X> closed = both(moved, X(0.5) < p[contact.mode]);
      doubtful[contact.event] = closed;
      if (contact.friction.any()) doubtful[contact.friction.event] = closed;
      some = either(some, closed);
    }
    return some;
  }
  /// Returns the lanes in which some event is doubtful.
  KALABA_FN MaskOf<X> some(const Watch& watch) const {
    MaskOf<X> some = X(1) < X(0);
    for (int event = 0; event < watch.count; ++event) some = either(some, doubtful[event]);
    return some;
  }

  /// Computes the errors that the samples show. Redundant closed contacts may have no force of their own: their
  /// multipliers are differences of forces as large as those of the other contacts.
  KALABA_FN void measure(const Watch& watch, const X* p, const PartEnds<X>* samples, int parts) {
    X force(0);
    for (int i = 0; i < watch.contact_count; ++i) {
      const WatchedContact& contact = watch.contacts[i];
      X largest(0);
      for (int k = 0; k <= parts; ++k) largest = max_of(largest, abs(samples[contact.event][k]));
      force = max_of(force, select(X(0.5) < p[contact.mode], largest, X(0)));
    }
    const X small = X(roundings * Limits<Scalar<X>>::epsilon) * force;
    for (int event = 0; event < watch.count; ++event) {
      error[event] = error_of(samples[event], parts);
      rounding[event] = X(0);
    }
    for (int i = 0; i < watch.contact_count; ++i) {
      const WatchedContact& contact = watch.contacts[i];
      rounding[contact.event] = small;
      if (!contact.friction.any()) continue;
      rounding[contact.friction.event] = select(X(0.5) < p[contact.friction.sticks], small, X(0));  // else a slip
    }
  }
  /// Adds the values at a probe.
  KALABA_FN void add(const Watch& watch, const PartEnds<X>* samples, int parts, int probe, const X* values) {
    for (int event = 0; event < watch.count; ++event) {
      const X estimate = value_at(samples[event], parts, part_of(probe, parts), place_in_part(probe));
      error[event] = max_of(error[event], abs(estimate - values[event]));
    }
  }
  /// Removes lanes in which samples determine the sign, with limits times `factor`. Values that are not finite are not
  /// examined.
  KALABA_FN void judge(const Watch& watch, const PartEnds<X>* samples, int parts, double factor) {
    for (int event = 0; event < watch.count; ++event) {
      MaskOf<X> unclear = X(1) < X(0);
      for (int i = 0; i < parts; ++i) {
        const PartRange<X> range = PartRange<X>::of(samples[event], parts, i);
        const X margin = X(factor * far) * error[event];
        const MaskOf<X> is_near = both(range.least <= margin, -margin <= range.most);
        unclear = either(unclear, both(is_near, range.most - range.least < X(factor * steep) * error[event]));
      }
      const MaskOf<X> is_error = both(is_finite(error[event]), rounding[event] < error[event]);
      doubtful[event] = both(both(doubtful[event], is_error), unclear);
    }
  }
  /// Removes lanes in which the error is rounding: `samples` of a tiny part of the step show a similar one.
  KALABA_FN void remove_noise(const Watch& watch, const PartEnds<X>* samples, int parts) {
    for (int event = 0; event < watch.count; ++event) {
      doubtful[event] = both(doubtful[event], X(noise) * error_of(samples[event], parts) < error[event]);
    }
  }

 private:
  /// Largest fourth difference of the samples, times the error of a cubic relative to it and a margin.
  KALABA_FN static X error_of(const PartEnds<X>& ends, int parts) {
    X largest(0);
    for (int i = 0; i + 4 <= parts; ++i) {
      const X outer = ends[i] + ends[i + 4];
      const X inner = ends[i + 1] + ends[i + 3];
      largest = max_of(largest, abs(fma(X(-4), inner, fma(X(6), ends[i + 2], outer))));
    }
    return X(of_difference) * largest;
  }
};

}  // namespace kalaba::detail
