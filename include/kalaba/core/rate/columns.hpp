#pragma once

#include "kalaba/core/base/state.hpp"
#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// Variables of differentiation of a run.
struct Sensitivities {
  static constexpr int most = 16;
  int count = 0;
  int of[most] = {};                       ///< parameters first, then the initial values of coordinates and rates
  const unsigned char* follows = nullptr;  ///< [coordinates, rates], see SensitivityPlan
};

/// Sensitivity columns of a member: [column][coordinate] and [column][rate]. Empty if the run has none.
template <class M, class X, bool Any = (Dim<M>::sensitivities > 0)>
struct Columns {
  KALABA_FN static constexpr const X* q_data() { return nullptr; }
  KALABA_FN static constexpr const X* w_data() { return nullptr; }
};
template <class M, class X>
struct Columns<M, X, true> : State<X, Dim<M>::sensitivities * Dim<M>::q, Dim<M>::sensitivities * Dim<M>::w> {
  /// Column `column` := (dq, dw)
  KALABA_FN void put(int column, const Vec<X, Dim<M>::q>& dq, const Vec<X, Dim<M>::w>& dw) {
    KALABA_UNROLL
    for (int i = 0; i < dq.size; ++i) this->q[column * dq.size + i] = dq[i];
    KALABA_UNROLL
    for (int i = 0; i < dw.size; ++i) this->w[column * dw.size + i] = dw[i];
  }
  /// Sets a column to `value` in the lanes `where`.
  KALABA_FN void fill(int column, const MaskOf<X>& where, const X& value) {
    for_column(column, [&](X& number) KALABA_LAMBDA { number = select(where, value, number); });
  }
  /// Returns the lanes in which a column is finite.
  KALABA_FN MaskOf<X> is_finite(int column) {
    X sum(0);  // 0 x is 0 for every finite x, and NaN otherwise
    for_column(column, [&](X& number) KALABA_LAMBDA { sum = fma(number, X(0), sum); });
    return sum == X(0);
  }
  KALABA_FN const X* q_data() const { return this->q.data; }
  KALABA_FN const X* w_data() const { return this->w.data; }

 private:
  template <class Work>
  KALABA_FN void for_column(int column, const Work& work) {
    for (int i = 0; i < Dim<M>::q; ++i) work(this->q[column * Dim<M>::q + i]);
    for (int i = 0; i < Dim<M>::w; ++i) work(this->w[column * Dim<M>::w + i]);
  }
};

/// Derivatives of a time along the columns. Empty if the run has none.
template <class M, class X, bool Any = (Dim<M>::sensitivities > 0)>
struct TimeColumns {
  KALABA_FN static TimeColumns zero() { return {}; }
};
template <class M, class X>
struct TimeColumns<M, X, true> {
  Vec<X, Dim<M>::sensitivities> t;

  KALABA_FN static TimeColumns zero() {
    TimeColumns result;
    for (int i = 0; i < result.t.size; ++i) result.t[i] = X(0);
    return result;
  }
  KALABA_FN void put(const MaskOf<X>& where, const TimeColumns& from) {
    for (int i = 0; i < t.size; ++i) t[i] = select(where, from.t[i], t[i]);
  }
  /// These, and 0 in the other lanes.
  KALABA_FN TimeColumns only(const MaskOf<X>& where) const {
    TimeColumns result;
    for (int i = 0; i < t.size; ++i) result.t[i] = select(where, t[i], X(0));
    return result;
  }
};

/// Replaces ColumnsAlong if there are no columns.
struct NoColumns {
  static constexpr bool any = false;
};

/// Columns that a projection corrects too, with the object that differentiates them.
template <class TangentsType, class ColumnsType>
struct ColumnsAlong {
  static constexpr bool any = true;
  TangentsType& tangents;
  ColumnsType& columns;
};

}  // namespace kalaba
