#include "backend/reference_projection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/reference_linear.hpp"

namespace kalaba::reference {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// One set of constraints c(variable) = 0 and its linearisation at the present instant.
struct Linearised {
  Vector c;
  Matrix A;  ///< dc = A d(rates), or A d(rates) x time for positions
};

/// What corrections are measured by: the metric; one that may be singular is completed by A^T A at its own size, which
/// is the same along the constraints and definite where [G; A] has full rank.
MetricRoot weight(const MechanicalModel& model, const Instant& x) {
  Matrix G = model.metric(x);
  if (model.singular_metric) {
    const Matrix A = model.constraint_matrix(x);
    if (A.squaredNorm() > 0) G += A.transpose() * A * (G.trace() / A.squaredNorm());
  }
  return metric_root(G);
}

/// -G^(-1/2) (A G^(-1/2))+ c
Vector correction(const MetricRoot& G, const Linearised& at, const Method& method) {
  const PseudoInverse B = pseudo_inverse(at.A * G.inverse_root, method.pseudo_inverse, method.rank_tolerance);
  return -(G.inverse_root * (B.matrix * at.c));
}

/// Whether the constraints are met as well as the corrections can: contradictory ones have a least-squares point too,
/// where the corrections vanish.
bool held(const Linearised& at, double scale, const Method& method) {
  return max_norm(at.c) <= (method.consistency_tolerance * at.A.norm() + std::sqrt(epsilon)) * scale;
}

/// Iterates `variable`, a part of x, until its corrections vanish. `linearise()` reads the constraints at x;
/// `direction(delta)` is the change of the variable that a correction of the rates gives.
template <class Linearise, class Direction>
Status gauss_newton(const MechanicalModel& model, const Method& method, int iterations, const Instant& x,
                    Vector& variable, Linearise linearise, Direction direction) {
  // Rounding in the constraints, through the smallest singular value that is kept.
  const double noise = epsilon / std::max(method.rank_tolerance, epsilon);
  double previous = std::numeric_limits<double>::infinity();
  for (int i = 1; i <= iterations; ++i) {
    const MetricRoot G = weight(model, x);
    if (!G.positive_definite) return Status::singular_constraints;
    const Vector step = direction(correction(G, linearise(), method));
    if (!step.allFinite()) return Status::not_converged;
    variable += step;
    const double size = max_norm(step);
    const double scale = std::max(1.0, max_norm(variable));
    const bool stalled = size <= noise * scale && (size >= 0.5 * previous || i == iterations);
    if (size <= 4 * epsilon * scale || stalled) {
      return held(linearise(), scale, method) ? Status::ok : Status::not_converged;
    }
    previous = size;
  }
  return Status::not_converged;
}

Status project_positions(const MechanicalModel& model, const Method& method, int iterations, Instant& x) {
  return gauss_newton(
      model, method, iterations, x, x.q,
      [&] {
        return Linearised{model.phi(x), model.constraint_matrix(x).topRows(model.holonomic)};
      },
      [&](const Vector& delta) -> Vector { return model.velocity_jacobian(x) * delta; });
}

Status project_rates(const MechanicalModel& model, const Method& method, int iterations, Instant& x) {
  const auto linearise = [&] {
    Vector c(model.holonomic + model.nonholonomic);
    c << model.phi_dot(x), model.psi(x);
    return Linearised{c, model.constraint_matrix(x)};
  };
  return gauss_newton(model, method, iterations, x, x.w, linearise, [](const Vector& delta) { return delta; });
}

}  // namespace

Status project(const MechanicalModel& model, const Method& method, int iterations, Instant& x) {
  if (model.holonomic > 0) {
    const Status status = project_positions(model, method, iterations, x);
    if (status != Status::ok) return status;
  }
  if (model.holonomic + model.nonholonomic == 0) return Status::ok;
  return project_rates(model, method, iterations, x);
}

}  // namespace kalaba::reference
