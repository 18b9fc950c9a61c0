#pragma once

#include "kalaba/core/rate/fast_columns.hpp"
#include "kalaba/core/rate/projection.hpp"
#include "kalaba/core/rate/single_row.hpp"

namespace kalaba {

/// Rate of a model that states its single row, and its projection, on the fast path: the row is neither zero nor out of
/// range, the state stays finite, and few corrections satisfy the constraint. No factor and no rank are computed, and
/// all failures are collected in one mask after a step. Members that fail repeat the step on the general path, which
/// determines the cause; the first step is always made there.
template <class M, class X>
struct FastRate {
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  using P = Prepared<M, X>;
  using Q = Vec<X, nq>;
  using W = Vec<X, n>;
  using Mask = MaskOf<X>;

  using S = State<X, nq, n>;

  S dot;       ///< (q', w')
  Mask valid;  ///< lanes of `begin` without a failure since then

  KALABA_FN void begin(const Mask& where) { valid = where; }

  /// Computes `dot`; then calls follow(row, its multiplier, see FastColumns).
  template <class Follow>
  KALABA_FN void evaluate(const Method& method, const P& p, const X& t, const S& at, const Follow& follow) {
    const auto row = M::single_row(p, t, at.q, at.w);
    KALABA_UNROLL
    for (int i = 0; i < nq; ++i) dot.q[i] = row.velocity[i];
    const X by = excess_of<M, X>(row, p, stabilization_of<M>(method));
    KALABA_UNROLL
    for (int i = 0; i < n; ++i) dot.w[i] = multiply_add(-row.column[i], by, row.free[i]);
    valid = both(valid, in_range(row.gram));
    follow(row, -by);
  }

  /// Ends a step: projects it onto the constraint if the method projects, by at most `Limit` corrections, corrects the
  /// columns too, and checks the state.
  template <int Limit>
  KALABA_FN void finish(const Method& method, const P& p, const X& t, S& end, Columns<M, X>& columns) {
    Q& q = end.q;
    W& w = end.w;
    if (stabilization_of<M>(method).kind == Stabilization::Kind::projection) {
      bool knows_gram = false;
      if constexpr (Dim<M>::holonomic > 0) {
        knows_gram = holonomic_rows<M>() > 0;
        if (knows_gram) correct_position<Limit>(p, t, q, w, columns);
      }
      correct_rate<Limit>(p, t, q, w, columns, knows_gram);
    }
    if constexpr (ModelParts<M>::has_valid) valid = both(valid, M::valid(p, t, q, w));
    valid = both(valid, finite(q, w));
  }

 private:
  X inverse_gram{};  ///< 1 / (A G^-1 A^T) at the last correction of the position

  KALABA_FN static Mask in_range(const X& gram) {
    using Range = Limits<Scalar<X>>;
    return both(X(Range::small) < gram, gram < X(Range::large));
  }

  template <int Limit>
  KALABA_FN void correct_position(const P& p, const X& t, Q& q, const W& w, [[maybe_unused]] Columns<M, X>& columns) {
    correct<Limit>([&](const Mask& moving) KALABA_LAMBDA {
      const auto row = constraint_row<M>(p, t, q, w);
      // A lane keeps that of its own last correction, however many its neighbours take.
      inverse_gram = Limit == 1 ? X(1) / row.gram : select(moving, X(1) / row.gram, inverse_gram);
      const X by = row.position[0] * inverse_gram;
      if constexpr (Dim<M>::sensitivities > 0) {
        FastColumns<M, X>::template correct_position<Limit == 1>(p, t, q, w, row, -by, moving, columns);
      }
      return subtract(row.shift, only<Limit>(moving, by), Limits<Scalar<X>>::least_size, q);
    });
  }
  /// Corrects w. The gram at the last correction of the position serves too: that correction was a billionth of the
  /// coordinates, so that the error is a billionth of the correction of w.
  template <int Limit>
  KALABA_FN void correct_rate(const P& p, const X& t, const Q& q, W& w, [[maybe_unused]] Columns<M, X>& columns,
                              bool knows_gram) {
    correct<Limit>([&](const Mask& moving) KALABA_LAMBDA {
      const auto row = constraint_row<M>(p, t, q, w);
      const X by = row.rate[0] * (knows_gram ? inverse_gram : X(1) / row.gram);
      if constexpr (Dim<M>::sensitivities > 0) {
        FastColumns<M, X>::template correct_rate<Limit == 1>(p, t, q, w, row, -by, moving, columns);
      }
      return subtract(row.column, only<Limit>(moving, by), Limits<Scalar<X>>::least_rate, w);
    });
  }
  /// Makes corrections until the last one of each lane: once(moving) makes one, and returns the lanes in which it was
  /// the last.
  template <int Limit, class Once>
  KALABA_FN void correct(const Once& once) {
    if constexpr (Limit == 1) {
      valid = both(valid, once(valid));
    } else {
      Mask moving = valid;
      for (int i = 0; i < Limit && any(moving); ++i) moving = both(moving, !once(moving));
      valid = both(valid, !moving);
    }
  }
  /// A correction of the lanes `moving`; a single correction applies to all lanes.
  template <int Limit>
  KALABA_FN static X only(const Mask& moving, const X& by) {
    return Limit == 1 ? by : select(moving, by, X(0));
  }
  /// Subtracts direction * by from x. Returns the lanes in which this was the last correction, by sums of squares,
  /// which are stricter than the largest numbers that Projection compares; x counts as `least` if it is smaller.
  template <class Direction, int N>
  KALABA_FN static Mask subtract(const Direction& direction, const X& by, Scalar<X> least, Vec<X, N>& x) {
    X size(least * least);
    X square(0);
    KALABA_UNROLL
    for (int i = 0; i < N; ++i) {
      size = fma(x[i], x[i], size);
      square = fma(direction[i], direction[i], square);
      x[i] = fma(-direction[i], by, x[i]);
    }
    constexpr Scalar<X> limit = last_correction<X> * last_correction<X> / (N + 1);
    return square * by * by < X(limit) * size;
  }

  /// x - x is 0 for every finite x. (A sum that overflows is no error: the general path repeats the step.)
  KALABA_FN static Mask finite(const Q& q, const W& w) {
    X sum = q[0];
    KALABA_UNROLL
    for (int i = 1; i < nq; ++i) sum = sum + q[i];
    KALABA_UNROLL
    for (int i = 0; i < n; ++i) sum = sum + w[i];
    return is_finite(sum);
  }
};

}  // namespace kalaba
