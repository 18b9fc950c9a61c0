#include "backend/reference/step.hpp"

#include <algorithm>

#include "backend/reference/passage.hpp"
#include "backend/reference/projection.hpp"

namespace kalaba::reference {
namespace {

constexpr int start_iterations = 50;

bool finite(const Instant& x) { return x.q.allFinite() && x.w.allFinite(); }

Instant along(const Instant& x, const Rate& rate, double dt) {
  return {x.p, x.t + dt, x.q + dt * rate.q_dot, x.w + dt * rate.w_dot};
}

}  // namespace

Rate rate_at(const MechanicalModel& model, const Method& method, const RankChoice& choice, const Instant& x) {
  if (finite(x)) return evaluate_rate(model, method, choice, x);
  Rate rate;
  rate.status = Status::non_finite;
  return rate;
}

Status start_member(const MechanicalModel& model, const Method& method, bool project, Instant& x) {
  if (!(x.p.allFinite() && finite(x))) return Status::non_finite;
  const Rate rate = evaluate_rate(model, method, x);  // detects an indefinite metric
  if (rate.status != Status::ok) return rate.status;
  if (project) {
    const Status status = reference::project(model, method, start_iterations, x);
    if (status == Status::not_converged) return Status::not_assembled;
    if (status != Status::ok) return status;
  }
  return model.valid(x) ? Status::ok : Status::singular_constraints;
}

Status settle(const MechanicalModel& model, const Method& method, const RankChoice& choice, Instant& end,
              EndedStep& step) {
  if (!finite(end)) return Status::non_finite;
  if (method.stabilization.kind == Stabilization::Kind::projection) {
    const Status status = project(model, method, choice, step_iterations, end, {}, step);
    if (step.torn) return Status::singular_constraints;
    if (status != Status::ok) return status;
  }
  return model.valid(end) ? Status::ok : Status::singular_constraints;
}

void note_rank(RankMemory& memory, int rank) {
  if (memory.rank >= 0 && memory.rank != rank) ++memory.changes;
  memory.rank = rank;
}

namespace {

constexpr double steps_near = 32;
constexpr double in_sight = 0.25;  ///< bound of the first stage's least value; above it no singular position is near

Step step_past(const MechanicalModel& model, const Method& method, RankMemory& memory, const Instant& x, double dt,
               double end_time, int rank_before) {
  LeastValues seen;
  const RankMemory before = memory;
  Step step = pass(model, method, before, x, dt, end_time, seen, rank_before);
  if (step.torn) return step;
  const double part = seen.split();
  if (part == 0 && step.status != Status::ok) return step;
  seen.note(steps_near, memory);
  if (part == 0) return step;
  step = pass(model, method, before, x, part * dt, x.t + part * dt, seen, before.rank);
  if (step.status == Status::ok)
    step = pass(model, method, before, step.end, (1 - part) * dt, end_time, seen, before.rank);
  return step;
}

}  // namespace

Step step_member(const MechanicalModel& model, const Method& method, RankMemory& memory, const Instant& x, double dt,
                 double end_time) {
  const Rate k1 = rate_at(model, method, RankChoice::at_step(method, memory.rank), x);
  if (k1.status != Status::ok) return {k1.status, x, 0};
  if (!consistent(k1, method, x)) return {Status::inconsistent_constraints, x, k1.rank};
  const bool passes = method.stabilization.kind == Stabilization::Kind::projection && memory.speed > 0;
  const int rank_before = memory.rank < 0 ? k1.rank : memory.rank;
  note_rank(memory, passes ? std::max(memory.rank, k1.rank) : k1.rank);
  if (passes) return step_past(model, method, memory, x, dt, end_time, rank_before);
  const RankChoice same = RankChoice::within_step(method, k1.rank);
  const Rate k2 = rate_at(model, method, same, along(x, k1, dt / 2));
  if (k2.status != Status::ok) return {k2.status, x, k1.rank};
  const Rate k3 = rate_at(model, method, same, along(x, k2, dt / 2));
  if (k3.status != Status::ok) return {k3.status, x, k1.rank};
  const Rate k4 = rate_at(model, method, same, along(x, k3, dt));
  if (k4.status != Status::ok) return {k4.status, x, k1.rank};
  const bool can_pass = model.holonomic + model.nonholonomic > 1 && !model.servo;
  LeastValues seen;
  for (const Rate* rate : {&k1, &k2, &k3, &k4}) {
    if (rate == &k1 || k1.least_value < in_sight) seen.add(rate->least_value);
  }
  if (can_pass) seen.note(steps_near, memory);
  const bool projects = method.stabilization.kind == Stabilization::Kind::projection;
  Step step{Status::ok, x, k1.rank};
  step.end.t = end_time;
  step.end.q += dt / 6 * (k1.q_dot + 2 * k2.q_dot + 2 * k3.q_dot + k4.q_dot);
  step.end.w += dt / 6 * (k1.w_dot + 2 * k2.w_dot + 2 * k3.w_dot + k4.w_dot);
  EndedStep ended = {dt, rank_before, x.w};
  step.status = settle(model, method, RankChoice::fresh(method), step.end, ended);
  if (can_pass && projects && memory.speed > 0 && seen.crosses() && !ended.torn) {
    // First step that detects a singular position. If the step starts in that position, its rank is lower.
    if (step.status == Status::ok) {
      note_rank(memory, std::max(memory.rank, rate_at(model, method, RankChoice::at_step(method, -1), step.end).rank));
    }
    return step_past(model, method, memory, x, dt, end_time, memory.rank);
  }
  return step;
}

}  // namespace kalaba::reference
