#pragma once

#include "kalaba/core/portable.hpp"

namespace kalaba {

/// How B+ is computed: one-sided Jacobi SVD, QR with column pivoting, or (on a GPU, for comparison) cuSOLVER's batched
/// SVD.
enum class PseudoInverse : int { svd = 0, qr = 1, cusolver = 2 };

/// Runge-Kutta of order 4 with equal steps, or Dormand and Prince's 5(4) with steps as long as the tolerances allow.
enum class Integrator : int { rk4 = 0, dopri5 = 1 };

/// Numbers that an integrator keeps of a member between calls, beside its state.
KALABA_FN constexpr int kept_numbers(Integrator integrator, int coordinates, int rates) {
  return integrator == Integrator::dopri5 ? 7 + 5 * (coordinates + rates) : 0;
}

/// What holds a member on its constraints (MECHANICS "Stabilisation").
struct Stabilization {
  enum class Kind : int { none = 0, projection = 1, feedback = 2 };
  Kind kind = Kind::projection;
  /// feedback: b - rate_gain phi' - position_gain phi (holonomic), b - rate_gain psi (nonholonomic), in 1/s and 1/s^2.
  double rate_gain = 0;
  double position_gain = 0;

  KALABA_FN static constexpr Stabilization none() { return {Kind::none, 0, 0}; }
  KALABA_FN static constexpr Stabilization projection() { return {Kind::projection, 0, 0}; }
  /// Baumgarte's b - 2 alpha phi' - beta^2 phi; a nonholonomic psi takes the place of phi'.
  KALABA_FN static constexpr Stabilization baumgarte(double alpha, double beta) {
    return {Kind::feedback, 2 * alpha, beta * beta};
  }
  /// psi' = -kappa psi (and phi'' = -kappa phi').
  KALABA_FN static constexpr Stabilization feedback(double kappa) { return {Kind::feedback, kappa, 0}; }
};

/// Everything that selects an algorithm. Run-time values on the CPU; a compile-time constant in a CUDA kernel, where
/// the branches on it fold away.
struct Method {
  Integrator integrator = Integrator::rk4;
  PseudoInverse pseudo_inverse = PseudoInverse::svd;
  Stabilization stabilization = {};
  /// Singular values at or below rank_tolerance times the largest are dropped.
  double rank_tolerance = 1e-6;
  /// A member whose |A w' - b| exceeds this fraction of |b| + |A||a| has inconsistent constraints.
  double consistency_tolerance = 1e-4;
  /// dopri5: the estimated error of a step in a number x is held below relative_tolerance |x| + absolute_tolerance, in
  /// the root mean square over q and w.
  double relative_tolerance = 1e-8;
  double absolute_tolerance = 1e-10;
  double largest_step = 0;   ///< of dopri5, s; 0: as the tolerances allow
  double smallest_step = 0;  ///< below it, and below 16 epsilon of the time, a member has Status::step_too_small
};

}  // namespace kalaba
