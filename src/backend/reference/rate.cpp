#include "backend/reference/rate.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

namespace kalaba::reference {
namespace {

/// b with the feedback of the method and of the system itself.
Vector constraint_rate(const MechanicalModel& model, const Stabilization& stabilization, const Instant& x) {
  const bool feedback = stabilization.kind == Stabilization::Kind::feedback;
  const double position_gain = (feedback ? stabilization.position_gain : 0.0) + model.position_gain(x);
  const double rate_gain = (feedback ? stabilization.rate_gain : 0.0) + model.gain(x);
  Vector b = model.constraint_rate(x);
  if (rate_gain != 0.0) {
    b.head(model.holonomic) -= rate_gain * model.phi_dot(x);
    b.tail(model.nonholonomic) -= rate_gain * model.psi(x);
  }
  if (position_gain != 0.0) b.head(model.holonomic) -= position_gain * model.phi(x);
  return b;
}

}  // namespace

Vector violation(const MechanicalModel& model, const Instant& x) {
  Vector all(2 * model.holonomic + model.nonholonomic);
  all << model.phi(x), model.phi_dot(x), model.psi(x);
  return all;
}

namespace {

/// Directions along which a force changes the rates without doing work on A: all of F^-T, or G^-1 S for a servo.
struct Actuation {
  Matrix to_rate;   ///< from the result of the pseudo-inverse to w'
  Matrix to_force;  ///< likewise, to the force
};

Actuation actuation_of(const MechanicalModel& model, const MetricRoot& G, const Instant& x) {
  if (model.servo) {
    const Matrix S = model.actuation(x);
    return {G.inverse * S, S};
  }
  return {G.inverse_root, model.formulation == Formulation::hamilton ? G.inverse_root : Matrix(G.root.transpose())};
}

void set_rank(const PseudoInverse& B, Rate& rate) {
  rate.rank = B.rank;
  rate.sigma_kept = B.sigma_kept;
  rate.sigma_dropped = B.sigma_dropped;
  rate.least_value = B.least_value;
}

/// Ideal force and its multipliers, in equilibrium with a non-ideal force C.
struct Reaction {
  Vector force;
  Vector multipliers;
};

/// C for the ideal force that acts with it, by Newton's method with finite differences; nothing if it does not
/// converge.
std::optional<Vector> non_ideal_force(const MechanicalModel& model, const Instant& x,
                                      const std::function<Reaction(const Vector&)>& reaction_to) {
  constexpr int most_iterations = 50;
  constexpr double tolerance = 1e-13;
  const auto n = x.w.size();
  const Vector none = Vector::Zero(n);
  if (!model.has_non_ideal()) return none;
  const auto map = [&](const Vector& C) -> Vector {
    const Reaction reaction = reaction_to(C);
    return model.non_ideal(x, reaction.force, reaction.multipliers);
  };
  const double load = reaction_to(none).force.norm();
  Vector C = map(none);
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    const Vector error = map(C) - C;
    if (error.norm() <= tolerance * (load + C.norm())) return C;
    const double step = 1e-6 * (load + C.norm());
    Matrix slopes(n, n);
    for (long i = 0; i < n; ++i) {
      const Vector by = step * Vector::Unit(n, i);
      slopes.col(i) = (map(C + by) - map(C - by)) / (2 * step);
    }
    C += (Matrix::Identity(n, n) - slopes).fullPivLu().solve(error);
    if (!C.allFinite()) break;
  }
  return std::nullopt;
}

/// [UK02 eq. 33, U16 eq. 35, BC18 eq. 40; RH section 2 for a servo].
void solve_definite(const MechanicalModel& model, const Method& method, const RankChoice& choice, const Instant& x,
                    const MetricRoot& G, Rate& rate) {
  const bool momenta = model.formulation == Formulation::hamilton;
  const auto as_rate = [&](const Vector& force) -> Vector { return momenta ? force : Vector(G.inverse * force); };
  const Actuation actuation = actuation_of(model, G, x);
  rate.a = as_rate(model.force(x));
  const PseudoInverse B = pseudo_inverse(rate.A * actuation.to_rate, method.pseudo_inverse, choice);
  const auto effort_with = [&](const Vector& C) -> Vector {
    return B.matrix * (rate.b - rate.A * (rate.a + as_rate(C)));
  };
  const auto reaction_to = [&](const Vector& C) -> Reaction {
    const Vector effort = effort_with(C);
    return {actuation.to_force * effort, B.matrix.transpose() * effort};
  };
  const std::optional<Vector> C = non_ideal_force(model, x, reaction_to);
  if (!C) rate.status = Status::not_converged;
  rate.non_ideal_force = C.value_or(Vector::Zero(rate.a.size()));
  const Reaction reaction = reaction_to(rate.non_ideal_force);
  rate.ideal_force = reaction.force;
  rate.multipliers = reaction.multipliers;
  rate.constraint_rate = actuation.to_rate * (B.matrix * rate.b);
  rate.w_dot = rate.a + as_rate(rate.non_ideal_force) + actuation.to_rate * effort_with(rate.non_ideal_force);
  set_rank(B, rate);
}

/// q'' = [(I - A+ A) M; A]+ [Q + C; b]  (Udwadia, Phohomsiri 2006), for M >= 0 with [M; A] of full rank; in rates and
/// rows of unit inertia, so that units do not matter.
void solve_singular(const MechanicalModel& model, const Method& method, const RankChoice& choice, const Instant& x,
                    const Matrix& M, Rate& rate) {
  const auto n = M.rows();
  const Vector Q = model.force(x);
  const Completion inertia(M, rate.A);
  const Vector units =
      inertia.of_rates.unaryExpr([](double of_rate) { return of_rate > 0 ? 1 / std::sqrt(of_rate) : 1; });
  const Vector weights = inertia.of_rows.cwiseSqrt();
  const auto U = units.asDiagonal();
  const Matrix own = U * M * U;
  const Matrix rows = rate.A * U;
  const PseudoInverse A = pseudo_inverse(rows, method.pseudo_inverse, choice);
  Matrix stacked(n + rows.rows(), n);
  stacked << own, weights.asDiagonal() * rows;
  RankChoice fresh = RankChoice::fresh(method);
  fresh.shortest_row = 0;  // masses and constraints have no common unit
  if (pseudo_inverse(stacked, method.pseudo_inverse, fresh).rank < n) {
    rate.status = Status::singular_constraints;
    return;
  }
  stacked.topRows(n) = own - A.matrix * (rows * own);
  const PseudoInverse all = pseudo_inverse(stacked, method.pseudo_inverse, fresh);
  const auto solve = [&](const Vector& force, const Vector& b) -> Vector {
    Vector right(stacked.rows());
    right << U * force, weights.cwiseProduct(b);
    return U * (all.matrix * right);
  };
  // M alone has no a: that of the completed metric serves as its size.
  const Vector driven = Q + rate.A.transpose() * weights.cwiseAbs2().cwiseProduct(rate.b);
  rate.a = inertia.metric(M, rate.A).ldlt().solve(driven);
  const auto reaction_to = [&](const Vector& C) -> Reaction {
    const Vector force = M * solve(Q + C, rate.b) - Q - C;
    return {force, A.matrix.transpose() * (U * force)};
  };
  const std::optional<Vector> C = non_ideal_force(model, x, reaction_to);
  if (!C) rate.status = Status::not_converged;
  rate.non_ideal_force = C.value_or(Vector::Zero(n));
  const Reaction reaction = reaction_to(rate.non_ideal_force);
  rate.ideal_force = reaction.force;
  rate.multipliers = reaction.multipliers;
  rate.w_dot = solve(Q + rate.non_ideal_force, rate.b);
  rate.constraint_rate = solve(Vector::Zero(n), rate.b);
  set_rank(A, rate);
}

}  // namespace

Rate evaluate_rate(const MechanicalModel& model, const Method& method, const Instant& x) {
  return evaluate_rate(model, method, RankChoice::fresh(method), x);
}

Rate evaluate_rate(const MechanicalModel& model, const Method& method, const RankChoice& choice, const Instant& x) {
  Rate rate;
  const Matrix metric = model.metric(x);
  const MetricRoot G = metric_root(metric);
  if (!G.positive_definite && !model.singular_metric) {
    rate.status = Status::singular_constraints;
    return rate;
  }
  rate.q_dot = model.velocity(x);
  rate.A = model.constraint_matrix(x);
  rate.b = constraint_rate(model, method.stabilization, x);
  if (model.singular_metric) {
    solve_singular(model, method, choice, x, metric, rate);
  } else {
    solve_definite(model, method, choice, x, G, rate);
  }
  return rate;
}

bool consistent(const Rate& rate, const Method& method, const Instant& x) {
  const double size = rate.A.norm();
  const double scale = rate.b.norm() + size * rate.a.norm();
  const double rounding = 1024 * std::numeric_limits<double>::epsilon() * size * x.w.norm();
  return !(rate.residual().norm() > method.consistency_tolerance * scale + rounding);
}

}  // namespace kalaba::reference
