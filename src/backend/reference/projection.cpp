#include "backend/reference/projection.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "backend/reference/linear.hpp"
#include "kalaba/core/base/real.hpp"

namespace kalaba::reference {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double last_correction = 1e-9;  ///< relative to a state; smaller ones remove no motion
constexpr double closing_rounding = 64;   ///< rounding errors of the terms of a row that is zero

/// One set of constraints c(variable) = 0 and its linearisation at the present instant.
struct Linearised {
  Vector c;
  Matrix A;  ///< dc = A d(rates), or A d(rates) x time for positions
};

/// Metric of the corrections: the model's metric, completed if it may be singular.
MetricRoot weight(const MechanicalModel& model, const Instant& x) {
  Matrix G = model.metric(x);
  if (model.singular_metric) {
    const Matrix A = model.constraint_matrix(x);
    G = Completion(G, A).metric(G, A);
  }
  return metric_root(G);
}

struct Correction {
  Vector of_rates;
  double length = 0;  ///< in the metric
  int rank = 0;       ///< of the rows that it satisfies
};

/// Orthonormal basis of the null space of H F^-T, whose directions do not change held variables; the rows of H are the
/// derivatives of the held variables along the rates.
Matrix free_directions(const MetricRoot& G, const Matrix& H) {
  const Eigen::ColPivHouseholderQR<Matrix> rows((H * G.inverse_root).transpose());
  const Matrix basis = rows.householderQ() * Matrix::Identity(H.cols(), H.cols());
  return basis.rightCols(H.cols() - rows.rank());
}

/// -F^-T Z (A F^-T Z)+ c. The columns of Z are the free directions; without held variables Z = 1.
Correction correction(const MetricRoot& G, const Linearised& at, const Matrix& H, const Method& method,
                      const RankChoice& choice) {
  if (H.rows() == 0) {
    const PseudoInverse B = pseudo_inverse(at.A * G.inverse_root, method.pseudo_inverse, choice);
    const Vector y = B.matrix * at.c;
    return {-(G.inverse_root * y), y.norm(), B.rank};
  }
  const Matrix Z = free_directions(G, H);
  const Matrix whole = at.A * G.inverse_root;
  Matrix free = whole * Z;
  if (free.norm() <= 100 * epsilon * whole.norm()) free.setZero();  // only rounding errors are left
  const PseudoInverse B = pseudo_inverse(free, method.pseudo_inverse, choice);
  const Vector y = Z * (B.matrix * at.c);
  return {-(G.inverse_root * y), y.norm(), B.rank};
}

/// Least change of q that satisfies the constraints that no rate changes, without a change of the coordinates `held`.
Vector kinematic_correction(const MechanicalModel& model, const Instant& x, const std::vector<int>& held) {
  Matrix gradient = model.unreached_gradient(x);
  if (gradient.rows() == 0) return Vector::Zero(x.q.size());
  for (const int i : held) gradient.col(i).setZero();
  return -gradient.completeOrthogonalDecomposition().solve(model.phi(x));
}

Matrix rows_of(const Matrix& all, const std::vector<int>& chosen) {
  Matrix rows(chosen.size(), all.cols());
  for (std::size_t i = 0; i < chosen.size(); ++i) rows.row(static_cast<long>(i)) = all.row(chosen[i]);
  return rows;
}

void hold(const std::vector<int>& held, Vector& step) {
  for (const int i : held) step[i] = 0;  // rounding would move it
}

/// Returns true if the constraints hold as accurately as corrections can achieve: contradictory constraints have a
/// least-squares point too, where the corrections vanish.
bool held(const Linearised& at, double scale, const Method& method) {
  return max_norm(at.c) <= (method.consistency_tolerance * at.A.norm() + std::sqrt(epsilon)) * scale;
}

/// Returns true if phi is zero at x, up to rounding of its terms.
bool is_closed(const MechanicalModel& model, const Instant& x) {
  const std::vector<Sized> rows = model.sized_constraints(x);
  return std::all_of(rows.begin(), rows.begin() + model.holonomic, [](const Sized& row) {
    return std::isfinite(row.rounding) && std::abs(row.value) <= closing_rounding * epsilon * row.rounding;
  });
}

/// Returns true if a correction, of the rates or of the path in `length` seconds, exceeds half of the rates at the
/// beginning of the step, which determine the branch of the motion at a singular position, and rounding of the rates.
bool removes_motion(const MetricRoot& G, const Instant& x, double length, const EndedStep& step, double correction) {
  const double known = 0.5 * (G.root * step.rates).norm();
  const double noise = 1e-4 * (G.root * x.w).norm();
  return length * std::hypot(known, noise) < correction;
}

/// Iterates `variable`, a part of x, until its corrections vanish. `linearise()` evaluates the constraints at x;
/// `jacobian()` is the derivative of the variable along the rates; the components `held` do not change; `beside()` is a
/// correction that no rates produce. A variable smaller than `least` counts as `least`. Corrections are those of the
/// motion in `length` seconds at the end of `step`, or of the rates (1).
template <class Linearise, class Jacobian, class Beside>
Status gauss_newton(const MechanicalModel& model, const Method& method, const RankChoice& choice, int iterations,
                    const Instant& x, Vector& variable, double least, const std::vector<int>& held_fast, double length,
                    EndedStep& step_before, Linearise linearise, Jacobian jacobian, Beside beside) {
  // Rounding in the constraints, through the smallest singular value that is kept.
  const double noise = epsilon / std::max(method.rank_tolerance, epsilon);
  double previous = std::numeric_limits<double>::infinity();
  // The size before the first correction counts too: a correction may leave nothing but rounding of it.
  const double size_before = std::max(max_norm(variable), step_before.length * max_norm(model.velocity(x)));
  for (int i = 1; i <= iterations; ++i) {
    const MetricRoot G = weight(model, x);
    if (!G.positive_definite) return Status::singular_constraints;
    const Matrix J = jacobian();
    const Correction corrected = correction(G, linearise(), rows_of(J, held_fast), method, choice);
    Vector step = J * corrected.of_rates + beside();
    hold(held_fast, step);
    if (!step.allFinite()) return Status::not_converged;
    variable += step;
    const double size = max_norm(step);
    const double scale = std::max({least, size_before, max_norm(variable)});
    if (i == 1 && step_before.rank < corrected.rank && size > last_correction * scale &&
        removes_motion(G, x, length, step_before, corrected.length)) {
      step_before.torn = true;
    }
    const bool stalled = size <= noise * scale && (size >= 0.5 * previous || i == iterations);
    if (size <= 4 * epsilon * scale || stalled) {
      return held(linearise(), scale, method) ? Status::ok : Status::not_converged;
    }
    previous = size;
  }
  return Status::not_converged;
}

Status project_positions(const MechanicalModel& model, const Method& method, const RankChoice& choice, int iterations,
                         Instant& x, const Held& held, EndedStep& step) {
  EndedStep of_positions = {step.length};
  EndedStep& own = model.nonholonomic == 0 ? step : of_positions;
  const Status status = gauss_newton(
      model, method, choice, iterations, x, x.q, Limits<double>::least_size, held.coordinates, step.length, own,
      [&] {
        return Linearised{model.phi(x), model.constraint_matrix(x).topRows(model.holonomic)};
      },
      [&] { return model.velocity_jacobian(x); }, [&] { return kinematic_correction(model, x, held.coordinates); });
  // Rounding errors of the rows move coordinates that are all small by more than their own rounding.
  return status == Status::not_converged && is_closed(model, x) ? Status::ok : status;
}

Status project_rates(const MechanicalModel& model, const Method& method, const RankChoice& choice, int iterations,
                     Instant& x, const Held& held, EndedStep& step) {
  EndedStep of_rates = step;
  of_rates.length = 0;
  const auto linearise = [&] {
    Vector c(model.holonomic + model.nonholonomic);
    c << model.phi_dot(x), model.psi(x);
    return Linearised{c, model.constraint_matrix(x)};
  };
  const Matrix same = Matrix::Identity(x.w.size(), x.w.size());
  const Status status = gauss_newton(
      model, method, choice, iterations, x, x.w, Limits<double>::least_rate, held.rates, 1, of_rates, linearise,
      [&] { return same; }, [&]() -> Vector { return Vector::Zero(x.w.size()); });
  step.torn = of_rates.torn;
  return status;
}

}  // namespace

Status project(const MechanicalModel& model, const Method& method, int iterations, Instant& x, const Held& held) {
  EndedStep none;
  return project(model, method, RankChoice::fresh(method), iterations, x, held, none);
}

Status project(const MechanicalModel& model, const Method& method, const RankChoice& choice, int iterations, Instant& x,
               const Held& held, EndedStep& step) {
  if (model.holonomic > 0) {
    const RankChoice own = model.nonholonomic == 0 ? choice : RankChoice::fresh(method);
    const Status status = project_positions(model, method, own, iterations, x, held, step);
    if (status != Status::ok) return status;
  }
  if (model.holonomic + model.nonholonomic == 0) return Status::ok;
  return project_rates(model, method, choice, iterations, x, held, step);
}

namespace {

constexpr int assembly_steps = 200;
constexpr double most_damping = 1e12;
constexpr double closed = 1e-13;  ///< norm of the rows as shares of their terms; `project` makes the last corrections

/// Scales of the rows of phi: the inverse of their terms, so that the total deviation does not depend on units.
Vector phi_scales(const MechanicalModel& model, const Instant& x) {
  const std::vector<Sized> rows = model.sized_constraints(x);
  Vector scales(model.holonomic);
  for (int r = 0; r < model.holonomic; ++r) {
    const Sized& row = rows[static_cast<std::size_t>(r)];
    const double size = std::max(row.terms, epsilon * row.rounding);
    scales[r] = size > 0 ? 1 / size : 0;
  }
  return scales;
}

/// Damping of steps, as a share of the largest diagonal entry of B B^T.
struct Damping {
  double first;
  double fall;        ///< divisor after a step
  double least_gain;  ///< of a step, relative to that of linear rows
};
constexpr Damping quick = {1e-3, 8, 0};
constexpr Damping short_steps = {1, 2, 0.5};  ///< long ones pass near solutions

/// Reduces phi as far as damped steps can that do not change the coordinates `held`.
Status approach(const MechanicalModel& model, const Damping& rule, const std::vector<int>& held, Instant& x) {
  const Vector scales = phi_scales(model, x);
  double damping = rule.first;
  for (int i = 0; i < assembly_steps && damping < most_damping; ++i) {
    const MetricRoot G = weight(model, x);
    if (!G.positive_definite) return Status::singular_constraints;
    const Vector off = scales.cwiseProduct(model.phi(x));
    if (off.norm() <= closed) break;
    const Matrix J = model.velocity_jacobian(x);
    Matrix B = scales.asDiagonal() * model.constraint_matrix(x).topRows(model.holonomic) * G.inverse_root;
    if (!held.empty()) {
      const Matrix Z = free_directions(G, rows_of(J, held));
      B = (B * Z * Z.transpose()).eval();
    }
    Matrix rows = B * B.transpose();
    const double size = rows.diagonal().maxCoeff();
    if (!(size > 0)) break;
    rows.diagonal().array() += damping * size;
    Instant next = x;
    const Vector pushes = rows.ldlt().solve(off);
    Vector step = J * (G.inverse_root * (B.transpose() * pushes));
    hold(held, step);
    next.q -= step;
    const double left = scales.cwiseProduct(model.phi(next)).norm();
    const double left_of_rows = damping * size * pushes.norm();  // if the rows were linear
    if (next.q.allFinite() && off.norm() - left > rule.least_gain * (off.norm() - left_of_rows)) {
      x = next;
      damping = std::max(damping / rule.fall, epsilon);
    } else {
      damping *= 4;
    }
  }
  return Status::ok;
}

}  // namespace

Status project_near(const MechanicalModel& model, const Method& method, int iterations, Instant& x, const Held& held) {
  const Instant start = x;
  const Status status = project(model, method, iterations, x, held);
  if (model.holonomic == 0 || status == Status::singular_constraints) return status;
  const MetricRoot G = weight(model, start);
  const auto directions = model.velocity_jacobian(start).completeOrthogonalDecomposition();
  const auto distance = [&](const Instant& to) { return (G.root * directions.solve(to.q - start.q)).norm(); };
  Instant first = start;
  project(model, method, 1, first, held);
  const Vector scales = phi_scales(model, start);
  const auto off = [&](double part) {
    Instant at = start;
    at.q += part * (first.q - start.q);
    return scales.cwiseProduct(model.phi(at)).norm();
  };
  // Rows that are almost linear along the first correction lead to the nearest point.
  const bool is_direct = std::ranges::all_of(std::array{0.25, 0.5, 0.75, 1.0}, [&](double part) {
    return std::abs(off(part) - (1 - part) * off(0)) <= 0.25 * off(0);
  });
  if (status == Status::ok && is_direct) return status;
  Instant near = start;
  if (approach(model, short_steps, held.coordinates, near) != Status::ok) return status;
  if (project(model, method, iterations, near, held) != Status::ok) return status;
  if (status == Status::ok && 0.9 * distance(x) <= distance(near)) return status;
  x = near;
  return Status::ok;
}

Status assemble(const MechanicalModel& model, const Method& method, const Allowance& allowance, Instant& x, Gap& left) {
  if (model.holonomic > 0) {
    const Status status = approach(model, quick, {}, x);
    if (status != Status::ok) return status;
  }
  left = worst_gap(model, x, allowance);
  Instant projected = x;
  const Status status = project(model, method, assembly_steps, projected);
  if (status == Status::singular_constraints) return status;
  const Gap after = worst_gap(model, projected, allowance);
  if (after.share < left.share || after.share <= 1) {
    left = after;
    x = projected;
  }
  return left.share <= 1 ? Status::ok : Status::not_assembled;
}

}  // namespace kalaba::reference
