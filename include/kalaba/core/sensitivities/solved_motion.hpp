#pragma once

#include "kalaba/core/sensitivities/tangent_algebra.hpp"

namespace kalaba {

/// Solution of a member's equation of motion, from which the equation of its sensitivity columns is built.
template <class M, class X, template <class, int, int> class InverseOf>
struct SolvedMotion : TangentAlgebra<M, X> {
  static constexpr int n = Dim<M>::w;
  static constexpr int m = Dim<M>::constraints;
  static constexpr bool momenta = M::formulation == Formulation::hamilton;
  using Rate = ConstrainedRate<M, X, InverseOf>;
  using Algebra = TangentAlgebra<M, X>;
  using W = Vec<X, n>;
  using E = Vec<X, m>;
  static constexpr int efforts = Rate::servo ? actuation_directions<M>() : m;
  using Effort = Vec<X, efforts>;  ///< multipliers, or for a servo-constraint the forces of its actuators

  struct Solution {
    W w_dot;
    W beside;  ///< G^-1 A^T lambda, or for a servo-constraint G^-1 S effort
    Effort effort;
  };
  /// Known quantities on which M::Motion depends.
  KALABA_FN static auto known(const Method& method, const Solution& motion) {
    constexpr int beside = momenta ? n : 0;
    constexpr int gains = M::Motion::known - n - beside - efforts;
    Vec<X, M::Motion::known> all;
    straight<n>([&](int i) KALABA_LAMBDA { all[i] = motion.w_dot[i]; });
    straight<beside>([&](int i) KALABA_LAMBDA { all[n + i] = motion.beside[i]; });
    straight<efforts>([&](int i) KALABA_LAMBDA { all[n + beside + i] = motion.effort[i]; });
    if constexpr (gains > 0) {
      all[n + beside + efforts] = X(method.stabilization.rate_gain);
      all[n + beside + efforts + 1] = X(method.stabilization.position_gain);
    }
    return all;
  }

  KALABA_FN static Solution motion_of(Rate& rate) {
    Solution motion;
    W part = rate.weighted_correction;
    if constexpr (m > 0) {
      if constexpr (ModelParts<M>::has_non_ideal) rate.apply_pseudo_inverse(Solo{}, rate.error, part);
      if constexpr (Rate::servo) {
        rate.inverse.min_norm(Solo{}, rate.error, motion.effort);
      } else {
        motion.effort = Algebra::multipliers(rate.at, rate.inverse, rate.error);
      }
    } else {
      for (int i = 0; i < n; ++i) part[i] = X(0);
    }
    rate.at.factor.solve_transposed(part.data);
    motion.beside = part;
    for (int i = 0; i < n; ++i) {
      motion.w_dot[i] = ModelParts<M>::has_non_ideal ? rate.dot.w[i] : rate.free_rate[i] + part[i];
    }
    return motion;
  }

  /// Ideal force along each rate: A^T lambda, or G^-1 A^T lambda for momenta.
  KALABA_FN static W ideal_force(const Rate& rate, const Solution& motion) {
    W force = motion.beside;
    if constexpr (!momenta) {
      rate.at.factor.multiply_transposed(force.data);
      rate.at.factor.multiply(force.data);
    }
    return force;
  }
};

}  // namespace kalaba
