#include "backend/reference_rate.hpp"

namespace kalaba::reference {
namespace {

/// b with the feedback of the method and of the system itself.
Vector constraint_rate(const MechanicalModel& model, const Stabilization& stabilization, const Instant& x) {
  const bool feedback = stabilization.kind == Stabilization::Kind::feedback;
  const double position_gain = feedback ? stabilization.position_gain : 0.0;
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

Rate evaluate_rate(const MechanicalModel& model, const Method& method, const Instant& x) {
  Rate rate;
  const Matrix metric = model.metric(x);
  const MetricRoot G = metric_root(metric);
  if (!G.positive_definite) {
    rate.status = Status::singular_constraints;
    return rate;
  }
  const bool momenta = model.formulation == Formulation::hamilton;
  const auto as_rate = [&](const Vector& force) -> Vector { return momenta ? force : Vector(G.inverse * force); };
  rate.q_dot = model.velocity(x);
  rate.A = model.constraint_matrix(x);
  rate.b = constraint_rate(model, method.stabilization, x);
  rate.a = as_rate(model.force(x));

  const PseudoInverse B = pseudo_inverse(rate.A * G.inverse_root, method.pseudo_inverse, method.rank_tolerance);
  const Vector ideal = B.matrix * (rate.b - rate.A * rate.a);
  const Vector ideal_rate = G.inverse_root * ideal;
  const Vector c = as_rate(model.non_ideal(x, momenta ? ideal_rate : Vector(G.root * ideal)));

  rate.w_dot = rate.a + ideal_rate + c - G.inverse_root * (B.matrix * (rate.A * c));
  rate.constraint_force = momenta ? Vector(rate.w_dot - rate.a) : Vector(metric * (rate.w_dot - rate.a));
  rate.multipliers = B.matrix.transpose() * ideal;
  rate.rank = B.rank;
  return rate;
}

bool consistent(const Rate& rate, const Method& method) {
  const double scale = rate.b.norm() + rate.A.norm() * rate.a.norm();
  return !(rate.residual().norm() > method.consistency_tolerance * scale);
}

}  // namespace kalaba::reference
