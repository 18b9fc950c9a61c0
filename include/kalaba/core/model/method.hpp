#pragma once

#include "kalaba/core/base/portable.hpp"

namespace kalaba {

/// Computation of B+: one-sided Jacobi SVD, QR with column pivoting, sparse B B^T = L D L^T if the rows are clearly
/// independent (and the SVD if they are not), or, on a GPU, for comparison, cuSOLVER's batched SVD. `automatic` is
/// decided before a run.
enum class PseudoInverse : int { svd = 0, qr = 1, ldlt = 2, cusolver = 3, automatic = 4 };

/// Facts about a pseudo-inverse besides its algorithm.
struct PseudoInverseFacts {
  const char* name;
  const char* type;  ///< its template over numbers, rows and columns; null if it is not in the core
};
/// Indexed by PseudoInverse; those in the core come first (core/inverse/pseudo_inverses.hpp).
inline constexpr PseudoInverseFacts pseudo_inverses[] = {
    {"svd", "JacobiSvd"}, {"qr", "PivotedQr"}, {"ldlt", "SparseLdlt"}, {"cusolver", nullptr}, {"auto", nullptr}};

constexpr const PseudoInverseFacts& facts_of(PseudoInverse method) { return pseudo_inverses[static_cast<int>(method)]; }

/// Runge-Kutta of order 4 with equal steps, or, with steps as long as the tolerances allow, Dormand and Prince's 5(4)
/// or 8(5,3), Taylor series of an order that follows from the tolerance, or, for stiff systems, Steinebach's Rosenbrock
/// method Rodas5P.
enum class Integrator : int { rk4 = 0, dopri5 = 1, dop853 = 2, taylor = 3, rodas5p = 4 };

/// Facts about an integrator; its steps are in core/loop/integrators.hpp.
struct IntegratorFacts {
  const char* name;
  int order;                 ///< of Taylor series, the highest
  int dense_rows;            ///< vectors of its continuous extension besides the ends; 0: equal steps, without one
  int stages;                ///< evaluations per step
  bool uses_series = false;  ///< requires the recurrences of a model's Taylor coefficients
  bool uses_slopes = false;  ///< requires the derivatives of a model's formulas, for the Jacobian of the rate

  constexpr bool adapts() const { return dense_rows > 0; }
};
/// Indexed by Integrator.
inline constexpr IntegratorFacts integrators[] = {{"rk4", 4, 0, 4},
                                                  {"dopri5", 5, 1, 6},
                                                  {"dop853", 8, 4, 12},
                                                  {"taylor", 24, 23, 1, true},
                                                  {"rodas5p", 5, 1, 8, false, true}};

constexpr const IntegratorFacts& facts_of(Integrator integrator) { return integrators[static_cast<int>(integrator)]; }

/// Returns true if the step size follows from the tolerances.
constexpr bool adapts(Integrator integrator) { return facts_of(integrator).adapts(); }

/// Numbers per member that describe an adaptive integrator's last step, besides states and rates.
constexpr int adaptive_scalars = 11;

/// Numbers that an integrator stores per member between calls, besides its state.
constexpr int persistent_numbers(Integrator integrator, int coordinates, int rates) {
  const IntegratorFacts& facts = facts_of(integrator);
  if (!facts.adapts()) return 0;
  return adaptive_scalars + (4 + facts.dense_rows) * (coordinates + rates);
}

/// Method that keeps a member on its constraints (docs/mechanics.md, "Stabilisation").
struct Stabilization {
  enum class Kind : int { none = 0, projection = 1, feedback = 2 };
  Kind kind = Kind::projection;
  /// feedback: b - rate_gain phi' - position_gain phi (holonomic), b - rate_gain psi (nonholonomic), in 1/s and 1/s^2.
  double rate_gain = 0;
  double position_gain = 0;

  KALABA_FN static constexpr Stabilization none() { return {Kind::none, 0, 0}; }
  KALABA_FN static constexpr Stabilization projection() { return {Kind::projection, 0, 0}; }
  /// Baumgarte's b - 2 alpha phi' - beta^2 phi; nonholonomic rows use psi in place of phi'.
  KALABA_FN static constexpr Stabilization baumgarte(double alpha, double beta) {
    return {Kind::feedback, 2 * alpha, beta * beta};
  }
  /// psi' = -kappa psi (and phi'' = -kappa phi').
  KALABA_FN static constexpr Stabilization feedback(double kappa) { return {Kind::feedback, kappa, 0}; }
};

/// All options that select an algorithm. Run-time values on the CPU; a compile-time constant in a CUDA kernel, where
/// the branches on it are eliminated.
struct Method {
  Integrator integrator = Integrator::rk4;
  PseudoInverse pseudo_inverse = PseudoInverse::svd;
  Stabilization stabilization = {};
  /// Singular values of unit rows at or below rank_tolerance times the largest are dropped at the beginning of a step.
  /// The stages of the step keep that rank, and a value that was kept remains so until it is a millionth of this
  /// (RankRule).
  double rank_tolerance = 1e-6;
  /// A member whose |A w' - b| exceeds this fraction of |b| + |A||a| has inconsistent constraints.
  double consistency_tolerance = 1e-4;
  /// Adaptive steps: the estimated error of a step in a number x is at most relative_tolerance |x| +
  /// absolute_tolerance, in the root mean square over q and w.
  double relative_tolerance = 1e-8;
  double absolute_tolerance = 1e-10;
  double largest_step = 0;   ///< adaptive steps, s; 0: no bound besides the tolerances
  double smallest_step = 0;  ///< below it, and below 16 epsilon of the time, a member has Status::step_too_small
  /// Bound on the accepted and rejected adaptive steps of a member over the whole run; 0: none. A member that needs
  /// more has Status::too_many_steps.
  double max_steps = 0;
  /// Bound on the changes of a member by events (Change) within TimeGrid::dt, counted from a change on. A member that
  /// needs more has Status::too_many_changes.
  double max_changes = 1e4;
};

/// Calls visit(field) for every field in the order of declaration. A new field that is not listed here does not
/// compile, so no reader of a Method can omit one.
template <class Visit>
KALABA_FN constexpr void visit_fields(const Stabilization& stabilization, Visit&& visit) {
  const auto& [kind, rate_gain, position_gain] = stabilization;
  visit(kind);
  visit(rate_gain);
  visit(position_gain);
}
template <class Visit>
KALABA_FN constexpr void visit_fields(const Method& method, Visit&& visit) {
  const auto& [integrator, pseudo_inverse, stabilization, rank_tolerance, consistency_tolerance, relative_tolerance,
               absolute_tolerance, largest_step, smallest_step, max_steps, max_changes] = method;
  visit(integrator);
  visit(pseudo_inverse);
  visit(stabilization);
  visit(rank_tolerance);
  visit(consistency_tolerance);
  visit(relative_tolerance);
  visit(absolute_tolerance);
  visit(largest_step);
  visit(smallest_step);
  visit(max_steps);
  visit(max_changes);
}

}  // namespace kalaba
