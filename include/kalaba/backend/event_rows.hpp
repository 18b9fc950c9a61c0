#pragma once

#include "kalaba/backend/pack.hpp"
#include "kalaba/core/watch.hpp"

namespace kalaba {

/// Rows of a block's events, at one pack of members.
template <class X>
struct PackRows {
  double* data;  ///< the pack's first member in the first row; null: nothing is kept
  long stride;   ///< of the block

  bool keeps() const { return data != nullptr; }
  X get(int row) const {
    Scalar<X> lanes[X::lanes];
    const double* from = data + row * stride;
    for (int i = 0; i < X::lanes; ++i) lanes[i] = static_cast<Scalar<X>>(from[i]);
    return X::load(lanes);
  }
  void put(int row, const X& values) const {
    Scalar<X> lanes[X::lanes];
    values.store(lanes);
    double* to = data + row * stride;
    for (int i = 0; i < X::lanes; ++i) to[i] = static_cast<double>(lanes[i]);
  }
};

// What knows no model is compiled once, in the library.
extern template void watch_values(const Watch&, const Pack<double>*, const Seen<Pack<double>>&, Pack<double>*);
extern template void record_event(const Solo&, const EventRows&, int, const Pack<double>::Mask&,
                                  const Seen<Pack<double>>&, const PackRows<Pack<double>>&);
extern template void watch_step(const Solo&, const Watch&, const Pack<double>*, const Pack<double>::Mask&,
                                const Pack<double>*, const Pack<double>*, const Pack<double>&,
                                const AnyStep<Pack<double>>&);
extern template void watch_values(const Watch&, const Pack<float>*, const Seen<Pack<float>>&, Pack<float>*);
extern template void record_event(const Solo&, const EventRows&, int, const Pack<float>::Mask&,
                                  const Seen<Pack<float>>&, const PackRows<Pack<float>>&);
extern template void watch_step(const Solo&, const Watch&, const Pack<float>*, const Pack<float>::Mask&,
                                const Pack<float>*, const Pack<float>*, const Pack<float>&,
                                const AnyStep<Pack<float>>&);

}  // namespace kalaba
