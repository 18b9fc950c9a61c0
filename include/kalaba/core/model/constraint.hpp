#pragma once

#include "kalaba/core/base/differentiation.hpp"
#include "kalaba/core/base/team.hpp"
#include "kalaba/core/model/bounded_model.hpp"
#include "kalaba/core/model/model.hpp"

namespace kalaba {

// Derives the rows of A w' = b from a model's phi(t, q) and psi(t, q, w). Holonomic rows come first.
//   phi:  A = phi_q K_w,  b = -(phi'' at w' = 0),  with q' = K(t, q, w)
//   psi:  A = psi_w,      b = -(psi_q K + psi_t)
// A is computed by dual numbers, b by derivatives along the motion (q', 1).

/// q' = K(t, q, w).
template <class M, class P, class X>
KALABA_FN Vec<X, Dim<M>::q> velocity_of(const P& p, const X& t, const Vec<X, Dim<M>::q>& q,
                                        const Vec<X, Dim<M>::w>& w) {
  if constexpr (ModelParts<M>::has_velocity) {
    return M::velocity(p, t, q, w);
  } else {
    return w;
  }
}

/// x with given slopes along one direction.
template <class X, int N>
KALABA_FN Vec<Dual<X, 1>, N> along(const Vec<X, N>& x, const Vec<X, N>& slope) {
  Vec<Dual<X, 1>, N> lifted;
  KALABA_UNROLL
  for (int i = 0; i < N; ++i) {
    lifted[i].value = x[i];
    lifted[i].slope[0] = slope[i];
  }
  return lifted;
}

namespace detail {

/// Directions differentiated in one pass: all of a small model, or a worker's share.
KALABA_FN constexpr int directions_per_pass(int directions, int workers) {
  const int share = (directions + workers - 1) / workers;
  return share < 8 ? share : 8;
}

}  // namespace detail

/// Computes the rows of A.
template <class M, class Team, class P, class X>
KALABA_FN void constraint_matrix(const Team& team, const P& p, const X& t, const Vec<X, Dim<M>::q>& q,
                                 const Vec<X, Dim<M>::w>& w, Mat<X, Dim<M>::constraints, Dim<M>::w>& a) {
  constexpr int n = Dim<M>::w;
  constexpr int width = detail::directions_per_pass(n, Team::size);
  using D = Dual<X, width>;
  team.template for_each<(n + width - 1) / width>([&](int pass) KALABA_LAMBDA {
    Vec<D, n> moved_w = constants<D>(w);
    KALABA_UNROLL
    for (int j = 0; j < n; ++j) {
      KALABA_UNROLL
      for (int i = 0; i < width; ++i) moved_w[j].slope[i] = X(j == pass * width + i ? 1 : 0);
    }
    const auto store = [&](const D& row, int r) KALABA_LAMBDA {
      KALABA_UNROLL
      for (int i = 0; i < width; ++i) {
        if (pass * width + i < n) a(r, pass * width + i) = row.slope[i];
      }
    };
    if constexpr (Dim<M>::holonomic > 0) {
      Vec<D, Dim<M>::q> moved_q = velocity_of<M>(p, D(t), constants<D>(q), moved_w);
      KALABA_UNROLL
      for (int j = 0; j < Dim<M>::q; ++j) moved_q[j].value = q[j];
      const auto phi = M::phi(p, D(t), moved_q);
      KALABA_UNROLL
      for (int r = 0; r < Dim<M>::holonomic; ++r) store(phi[r], r);
    }
    if constexpr (Dim<M>::nonholonomic > 0) {
      const auto psi = M::psi(p, D(t), constants<D>(q), moved_w);
      KALABA_UNROLL
      for (int r = 0; r < Dim<M>::nonholonomic; ++r) store(psi[r], Dim<M>::holonomic + r);
    }
  });
}

/// Feedback gains of the method and of the model, on phi' (or psi) and on phi: b - rate phi' - position phi.
template <class X>
struct FeedbackGains {
  X rate;
  X position;
};
template <class M>
KALABA_FN constexpr bool has_feedback(const Stabilization& stabilization) {
  return stabilization.kind == Stabilization::Kind::feedback || ModelParts<M>::has_gain ||
         ModelParts<M>::has_position_gain;
}
template <class M, class X, class P>
KALABA_FN FeedbackGains<X> feedback_gains(const P& p, const Stabilization& stabilization) {
  const bool asked = stabilization.kind == Stabilization::Kind::feedback;
  FeedbackGains<X> gains = {X(asked ? stabilization.rate_gain : 0.0), X(asked ? stabilization.position_gain : 0.0)};
  if constexpr (ModelParts<M>::has_gain) gains.rate = gains.rate + X(M::gain(p));
  if constexpr (ModelParts<M>::has_position_gain) gains.position = gains.position + X(M::position_gain(p));
  return gains;
}

/// Constraint violation of a state, and the right-hand side b.
template <class M, class X>
struct ConstraintState {
  Vec<X, Dim<M>::holonomic> position;  ///< phi
  Vec<X, Dim<M>::constraints> rate;    ///< phi' and psi
  Vec<X, Dim<M>::constraints> b;       ///< right-hand side of A w' = b

  template <class Team, class P>
  KALABA_FN void evaluate(const Team& team, const P& p, const X& t, const Vec<X, Dim<M>::q>& q,
                          const Vec<X, Dim<M>::w>& w) {
    team.single([&]() KALABA_LAMBDA {
      const auto q_dot = velocity_of<M>(p, t, q, w);
      Dual<X, 1> moved_t(t);
      moved_t.slope[0] = X(1);
      const auto moved_q = along(q, q_dot);
      const auto fixed_w = constants<Dual<X, 1>>(w);
      if constexpr (Dim<M>::holonomic > 0) {
        Vec<Taylor<X>, Dim<M>::q> curve;
        Vec<X, Dim<M>::q> k_dot;
        if constexpr (ModelParts<M>::has_velocity) {
          const auto moved_k = M::velocity(p, moved_t, moved_q, fixed_w);
          KALABA_UNROLL
          for (int i = 0; i < Dim<M>::q; ++i) k_dot[i] = moved_k[i].slope[0];
        } else {
          KALABA_UNROLL
          for (int i = 0; i < Dim<M>::q; ++i) k_dot[i] = X(0);
        }
        KALABA_UNROLL
        for (int i = 0; i < Dim<M>::q; ++i) curve[i] = Taylor<X>(q[i], q_dot[i], k_dot[i]);
        const auto phi = M::phi(p, Taylor<X>(t, X(1), X(0)), curve);
        KALABA_UNROLL
        for (int r = 0; r < Dim<M>::holonomic; ++r) {
          position[r] = phi[r].value;
          rate[r] = phi[r].first;
          b[r] = -phi[r].second;
        }
      }
      if constexpr (Dim<M>::nonholonomic > 0) {
        const auto psi = M::psi(p, moved_t, moved_q, fixed_w);
        KALABA_UNROLL
        for (int r = 0; r < Dim<M>::nonholonomic; ++r) {
          rate[Dim<M>::holonomic + r] = psi[r].value;
          b[Dim<M>::holonomic + r] = -psi[r].slope[0];
        }
      }
    });
  }

  /// Adds the feedback of the method and of the model itself to b.
  template <class Team, class P>
  KALABA_FN void add_feedback(const Team& team, const P& p, const Stabilization& stabilization) {
    if (!has_feedback<M>(stabilization)) return;
    const auto gains = feedback_gains<M, X>(p, stabilization);
    team.template for_each<Dim<M>::constraints>([&](int r) KALABA_LAMBDA {
      b[r] = b[r] - gains.rate * rate[r];
      if (r < holonomic_rows<M>()) b[r] = b[r] - gains.position * position[r < Dim<M>::holonomic ? r : 0];
    });
  }

  /// max |phi|, |phi'|, |psi|
  KALABA_FN X violation() const {
    X largest(0);
    KALABA_UNROLL
    for (int r = 0; r < Dim<M>::holonomic; ++r) largest = max_of(largest, abs(position[r]));
    KALABA_UNROLL
    for (int r = 0; r < Dim<M>::constraints; ++r) largest = max_of(largest, abs(rate[r]));
    return largest;
  }
};

}  // namespace kalaba
