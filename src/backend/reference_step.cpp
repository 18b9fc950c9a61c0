#include "backend/reference_step.hpp"

#include "backend/reference_projection.hpp"

namespace kalaba::reference {
namespace {

bool finite(const Instant& x) { return x.q.allFinite() && x.w.allFinite(); }

Instant along(const Instant& x, const Rate& rate, double dt) {
  return {x.p, x.t + dt, x.q + dt * rate.q_dot, x.w + dt * rate.w_dot};
}

}  // namespace

Rate rate_at(const MechanicalModel& model, const Method& method, const Instant& x) {
  if (finite(x)) return evaluate_rate(model, method, x);
  Rate rate;
  rate.status = Status::non_finite;
  return rate;
}

Status settle(const MechanicalModel& model, const Method& method, Instant& end) {
  if (!finite(end)) return Status::non_finite;
  if (method.stabilization.kind == Stabilization::Kind::projection) {
    const Status status = project(model, method, step_iterations, end);
    if (status != Status::ok) return status;
  }
  return model.valid(end) ? Status::ok : Status::singular_constraints;
}

Step step_member(const MechanicalModel& model, const Method& method, const Instant& x, double dt, double end_time) {
  const Rate k1 = rate_at(model, method, x);
  if (k1.status != Status::ok) return {k1.status, x, 0};
  if (!consistent(k1, method)) return {Status::inconsistent_constraints, x, k1.rank};
  const Rate k2 = rate_at(model, method, along(x, k1, dt / 2));
  if (k2.status != Status::ok) return {k2.status, x, k1.rank};
  const Rate k3 = rate_at(model, method, along(x, k2, dt / 2));
  if (k3.status != Status::ok) return {k3.status, x, k1.rank};
  const Rate k4 = rate_at(model, method, along(x, k3, dt));
  if (k4.status != Status::ok) return {k4.status, x, k1.rank};

  Step step{Status::ok, x, k1.rank};
  step.end.t = end_time;
  step.end.q += dt / 6 * (k1.q_dot + 2 * k2.q_dot + 2 * k3.q_dot + k4.q_dot);
  step.end.w += dt / 6 * (k1.w_dot + 2 * k2.w_dot + 2 * k3.w_dot + k4.w_dot);
  step.status = settle(model, method, step.end);
  return step;
}

}  // namespace kalaba::reference
