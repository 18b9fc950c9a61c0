#include "backend/reference/adaptive.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/reference/projection.hpp"
#include "backend/reference/rate.hpp"
#include "backend/reference/rosenbrock.hpp"
#include "backend/reference/tableau.hpp"

namespace kalaba::reference {
namespace {

constexpr double remembered_error = 1e-4;
constexpr double adaptive_steps_near = 4;  ///< to a singular position
constexpr int enough_stiff = 15;
constexpr int examined_every = 64;              ///< until the first stiff step
constexpr int forgotten_after = 6;              ///< other steps in sequence
constexpr double a_little_above = 1.01;         ///< error for which nine tenths of a step are tried
constexpr double least_resolved = 1.5e-6;       ///< value near one below which velocities have 4 digits
constexpr double rounding_errors = 2;           ///< near one, in units of their bound
constexpr double early = 0.0625;                ///< value below which one is near earlier, in noisy_value
constexpr double passing_exponent = 13.0 / 64;  ///< of the step control near one, for a method of order 4

AdaptiveStep step_from(const AdaptiveStep& last, double h, int rank) {
  AdaptiveStep step;
  step.begin = last.end;
  step.end = last.end + h;
  step.y0 = last.y1;
  step.f0 = last.f1;
  step.rank = rank;
  return step;
}

/// State of stage s of a step, given its earlier rates.
Instant stage_of(const Tableau& tableau, const AdaptiveStep& step, double h, const Matrix& k, int s,
                 const Instant& like) {
  Vector slope = Vector::Zero(step.f0.size());
  for (int j = 0; j < s; ++j) slope += tableau.a(s, j) * k.col(j);
  return unstacked(like, step.begin + tableau.c[s] * h, step.y0 + h * slope);
}

/// Error in units of the tolerance. With two estimates, of order 5 and 3: eq. II.10.17 of the same book.
double error_of(const Tableau& tableau, const Method& method, const AdaptiveStep& step, double h) {
  double norms[2] = {};
  for (int estimate = 0; estimate < tableau.error.rows(); ++estimate) {
    Vector difference = Vector::Zero(step.f0.size());
    for (int j = 0; j < tableau.stages; ++j) difference += h * tableau.error(estimate, j) * step.k.col(j);
    norms[estimate] = error_norm(method, difference, step);
  }
  if (tableau.error.rows() == 1) return norms[0];
  const double size = std::sqrt(norms[0] * norms[0] + 0.01 * norms[1] * norms[1]);
  return size == 0 ? 0 : norms[0] * norms[0] / size;
}

/// Speeds along each number that a rounding error may have near a singular position, times epsilon / value^2, at the
/// start of a step (StepTrial::speeds_of of the core).
Vector speeds_of(const MechanicalModel& model, const Instant& x) {
  const Matrix metric = model.metric(x);
  const Vector each = metric_root(metric).inverse_root.rowwise().norm();
  return (std::sqrt(x.w.dot(metric * x.w)) * each).cwiseMax(x.w.cwiseAbs());
}

/// Least singular value at which that error may exceed the tolerance of such speeds.
double noisy_value(const Method& method, const Vector& speeds) {
  const Vector scale = method.relative_tolerance * speeds.array() + method.absolute_tolerance;
  const double size = speeds.cwiseQuotient(scale).norm() / std::sqrt(static_cast<double>(speeds.size()));
  return std::sqrt(rounding_errors * std::numeric_limits<double>::epsilon() * size);
}

/// Rounding errors of the numbers in a step of length h whose least singular value is `apart` and changes by `speed`:
/// those of the rates, and what they move the coordinates in the time in which the value changes by itself.
Vector rounding_near(const Instant& x, const Vector& speeds, double h, double apart, double speed) {
  const double time = speed > 0 ? std::abs(h) * apart / speed : std::abs(h);
  const bool same = x.q.size() == x.w.size();
  const Vector moved = same ? speeds : Vector::Constant(x.q.size(), speeds.maxCoeff());
  return rounding_errors * std::numeric_limits<double>::epsilon() / (apart * apart) * stacked(time * moved, speeds);
}

/// Records in `memory` after a step from x whether a singular position is near.
void look_ahead(const MechanicalModel& model, const Method& method, const Instant& x, const LeastValues& seen,
                RankMemory& memory) {
  if (model.holonomic + model.nonholonomic < 2 || model.servo) return;
  const double noisy = seen.is_in_sight() ? early * noisy_value(method, speeds_of(model, x)) : 0;
  seen.note(adaptive_steps_near, memory, noisy);
}

/// Tries a step of length h from the end of `last`.
Trial try_step(const MechanicalModel& model, const Method& method, RankMemory& memory, const Instant& like,
               const AdaptiveStep& last, double h) {
  const Tableau& tableau = tableau_of(method.integrator);
  const int stages = tableau.stages;
  Trial trial;
  trial.step = step_from(last, h, memory.rank);
  Matrix& k = trial.step.k;
  k = Matrix::Zero(last.f1.size(), tableau.a.rows());
  k.col(0) = last.f1;
  LeastValues seen;
  for (int s = 1; s < stages; ++s) {
    Instant x = stage_of(tableau, trial.step, h, k, s, like);
    if (s + 1 == stages) {
      EndedStep ended = {h, memory.rank, unstacked(like, last.end, last.y1).w};
      trial.status = settle(model, method, RankChoice::fresh(method), x, ended);
      if (trial.status != Status::ok) return trial;
      trial.step.y1 = stacked(x.q, x.w);
    }
    const RankChoice choice =
        s + 1 == stages ? RankChoice::at_step(method, memory.rank) : RankChoice::within_step(method, memory.rank);
    const Rate rate = rate_at(model, method, choice, x);
    trial.status = rate.status;
    if (trial.status != Status::ok) return trial;
    seen.add(rate.least_value);
    k.col(s) = stacked(rate.q_dot, rate.w_dot);
    if (s + 1 < stages) continue;
    trial.rank = rate.rank;
    if (!consistent(rate, method, x)) trial.status = Status::inconsistent_constraints;
  }
  look_ahead(model, method, unstacked(like, last.end, last.y1), seen, memory);
  trial.step.f1 = k.col(stages - 1);
  trial.error = error_of(tableau, method, trial.step, h);
  return trial;
}

/// Tries a step of a Rosenbrock method of length h from the end of `last`.
Trial try_rosenbrock(const MechanicalModel& model, const Method& method, RankMemory& memory, const Instant& like,
                     const AdaptiveStep& last, double h) {
  LeastValues seen;
  Trial trial = rosenbrock_step(model, method, like, step_from(last, h, memory.rank), seen);
  if (trial.status == Status::ok) look_ahead(model, method, unstacked(like, last.end, last.y1), seen, memory);
  return trial;
}

/// Returns the function that tries a step of an integrator.
auto way_of(Integrator integrator) { return facts_of(integrator).uses_slopes ? try_rosenbrock : try_step; }

/// Computes the rates that the continuous extension needs in addition to the step's own.
Status extend(const MechanicalModel& model, const Method& method, AdaptiveStep& step, const Instant& like) {
  const Tableau& tableau = tableau_of(method.integrator);
  for (int s = tableau.stages; s < tableau.a.rows(); ++s) {
    const Instant x = stage_of(tableau, step, step.end - step.begin, step.k, s, like);
    const Rate rate = rate_at(model, method, RankChoice::within_step(method, step.rank), x);
    if (rate.status != Status::ok) return rate.status;
    step.k.col(s) = stacked(rate.q_dot, rate.w_dot);
  }
  return Status::ok;
}

/// Cubic through both ends, plus the terms of the continuous extension.
Vector state_at(const Method& method, const AdaptiveStep& step, double t) {
  const double h = step.end - step.begin;
  const double s = (t - step.begin) / h;
  const double r = 1 - s;
  if (step.bends.cols() > 0) {
    const Vector bend = step.bends.col(0) + s * (step.bends.col(1) + s * step.bends.col(2));
    return r * step.y0 + s * step.y1 + s * r * bend;
  }
  Vector bend = Vector::Zero(step.y0.size());
  const Matrix& dense = tableau_of(method.integrator).dense;
  for (long row = dense.rows() - 1; row >= 0 && step.k.cols() > 0; --row) {
    Vector term = Vector::Zero(step.y0.size());
    for (long j = 0; j < dense.cols(); ++j) term += dense(row, j) * step.k.col(j);
    bend = term + (row % 2 == 0 ? s : r) * bend;
  }
  if (step.bulge.size() > 0) bend = step.bulge / h;
  return r * r * (1 + 2 * s) * step.y0 + s * s * (3 - 2 * s) * step.y1 + s * r * r * h * step.f0 -
         s * s * r * h * step.f1 + s * s * r * r * h * bend;
}

/// Tries a step near a singular position: once whole and once in two parts. The end of the two parts is used. They are
/// halves, or they join near the position if the step passes through it.
Trial try_past(const MechanicalModel& model, const Method& method, RankMemory& memory, const Instant& like,
               const AdaptiveStep& last, double h) {
  Trial trial;
  trial.step = step_from(last, h, memory.rank);
  LeastValues seen;
  const RankMemory before = memory;
  const Instant x = unstacked(like, last.end, last.y1);
  const Step whole = pass(model, method, before, x, h, last.end + h, seen, memory.rank);
  const double split = seen.split();
  if (whole.torn || (split == 0 && whole.status != Status::ok)) {
    trial.status = whole.status;
    return trial;
  }
  look_ahead(model, method, x, seen, memory);
  const double apart = std::max(seen.least_with_weight(memory), least_resolved);
  const Vector rounding = rounding_near(x, speeds_of(model, x), h, apart, memory.speed);
  LeastValues halves;
  const double middle_at = split > 0 ? split : 0.5;
  const double first = middle_at * h;
  Step end = pass(model, method, before, x, first, last.end + first, halves, memory.rank);
  const Vector middle = stacked(end.end.q, end.end.w);
  if (end.status == Status::ok)
    end = pass(model, method, before, end.end, h - first, last.end + h, halves, memory.rank);
  trial.status = end.status;
  if (trial.status != Status::ok) return trial;
  const Rate rate = rate_at(model, method, RankChoice::at_step(method, memory.rank), end.end);
  trial.status =
      rate.status == Status::ok && !consistent(rate, method, end.end) ? Status::inconsistent_constraints : rate.status;
  if (trial.status != Status::ok) return trial;
  trial.rank = std::max(rate.rank, memory.rank);  // the rank is lower in the singular position itself
  trial.step.y1 = stacked(end.end.q, end.end.w);
  trial.step.f1 = stacked(rate.q_dot, rate.w_dot);
  // The tolerance is raised by the rounding error, which shorter steps would add more often.
  trial.error = error_norm(method, trial.step.y1 - stacked(whole.end.q, whole.end.w), trial.step, rounding);
  // A whole step with a stage in the position says nothing of the error of the parts, which cross it.
  if (split > 0 && !seen.is_clear() && trial.error > 1) trial.error = a_little_above;
  const double weight = middle_at * middle_at * (1 - middle_at) * (1 - middle_at);
  if (weight > 0.02) {
    const Vector cubic = state_at(method, trial.step, last.end + first);
    trial.step.bulge = (middle - cubic) / weight;
  }
  return trial;
}

Status begin(const MechanicalModel& model, const Method& method, const TimeGrid& grid, AdaptiveMember& member,
             const Instant& x) {
  const Rate rate = rate_at(model, method, RankChoice::at_step(method, -1), x);
  if (rate.status != Status::ok) return rate.status;
  note_rank(member.memory, rate.rank);
  member.last.begin = member.last.end = x.t;
  member.last.y0 = member.last.y1 = stacked(x.q, x.w);
  member.last.f0 = member.last.f1 = stacked(rate.q_dot, rate.w_dot);
  member.next = grid.dt;
  member.error = remembered_error;
  return consistent(rate, method, x) ? Status::ok : Status::inconsistent_constraints;
}

/// Counts the steps that stability limits, as Hairer and Wanner's codes DOPRI5 and DOP853 do: two stages at the end of
/// a step show how the rate changes with the state. A member is stiff after `enough_stiff` of them.
void note_stiffness(const Tableau& tableau, const Instant& like, AdaptiveMember& member) {
  const AdaptiveStep& step = member.last;
  const long number = member.accepted - 1;  // of this step
  if (step.k.cols() == 0 || member.stiff_steps >= enough_stiff || number < member.look_at) return;
  const double h = step.end - step.begin;
  const int last = tableau.stages - 1;
  const Instant stage = stage_of(tableau, step, h, step.k, last - 1, like);
  const Vector change = step.y1 - stacked(stage.q, stage.w);
  const Vector rate = step.k.col(last) - step.k.col(last - 1);
  const auto nq = like.q.size();
  const auto nw = like.w.size();
  const double size = change.head(nq).norm() * change.tail(nw).norm();
  const double moves = rate.head(nq).norm() * rate.tail(nw).norm();
  const bool stiff = h * h * moves > tableau.stability * tableau.stability * size;
  if (stiff) {
    ++member.stiff_steps;
    member.look_at = number + 1;
  } else if (member.stiff_steps == 0 || number - member.look_at >= forgotten_after - 1) {
    member.stiff_steps = 0;
    member.look_at = number + examined_every;
  }
}

/// Makes the change within the last step, from which the motion goes on.
Status change(const MechanicalModel& model, const Method& method, const Changes& changes, double dt,
              AdaptiveMember& member, Instant& x) {
  const double made = member.last.begin;  // ticks up to there
  member.changes.step = {member.last.y0.tail(x.w.size()), member.last.y1.tail(x.w.size()),
                         member.last.end - member.last.begin};
  Status status = arrive(model, method, member, member.cut, x);
  x.t = member.cut;
  member.cut = std::numeric_limits<double>::quiet_NaN();
  if (status == Status::ok && !member.cut_by.empty()) status = changes.by_events(member.cut_by, dt, member.changes, x);
  if (status == Status::ok && changes.ticks_at(made, x.t)) status = changes.by_clocks(made, member.changes, x);
  if (status != Status::ok) return status;
  const Rate rate = rate_at(model, method, RankChoice::at_step(method, -1), x);
  if (rate.status != Status::ok) return rate.status;
  member.memory.rank = rate.rank;
  member.memory.speed = 0;
  member.last = AdaptiveStep{};
  member.last.begin = member.last.end = x.t;
  member.last.y0 = member.last.y1 = stacked(x.q, x.w);
  member.last.f0 = member.last.f1 = stacked(rate.q_dot, rate.w_dot);
  return consistent(rate, method, x) ? Status::ok : Status::inconsistent_constraints;
}

}  // namespace

Vector stacked(const Vector& q, const Vector& w) {
  Vector y(q.size() + w.size());
  y << q, w;
  return y;
}

Instant unstacked(const Instant& like, double t, const Vector& y) {
  return {like.p, t, y.head(like.q.size()), y.tail(like.w.size())};
}

double error_norm(const Method& method, const Vector& error, const AdaptiveStep& step, const Vector& rounding) {
  const Vector size = step.y0.cwiseAbs().cwiseMax(step.y1.cwiseAbs());
  Vector scale = (method.relative_tolerance * size).array() + method.absolute_tolerance;
  if (rounding.size() > 0) scale += rounding;
  return error.cwiseQuotient(scale).norm() / std::sqrt(static_cast<double>(error.size()));
}

std::optional<Status> advance_adaptively(const MechanicalModel& model, const Method& method, const TimeGrid& grid,
                                         double target, AdaptiveMember& member, Instant& x,
                                         const std::function<void(AdaptiveMember&)>& after_step,
                                         const std::function<bool()>& pauses, const Changes* changes) {
  if (member.next == 0) {
    const Status status = begin(model, method, grid, member, x);
    if (status != Status::ok) return status;
  }
  const Tableau& tableau = tableau_of(method.integrator);
  const double grid_end = grid.at(grid.steps());
  Status obstacle = Status::ok;
  bool again = false;
  for (;;) {
    if (changes != nullptr && changes->is_until(member.cut, target)) {
      const Status status = change(model, method, *changes, grid.dt, member, x);
      if (status != Status::ok) return status;
    }
    if (!(member.last.end < target && std::isnan(member.ends) && std::isnan(member.cut))) break;
    const double end = changes != nullptr ? changes->next_tick(member.last.end, grid_end) : grid_end;
    if (!again && pauses && pauses()) return std::nullopt;
    if (method.max_steps > 0 && static_cast<double>(member.accepted + member.rejected) >= method.max_steps) {
      x = unstacked(x, member.last.end, member.last.y1);
      return Status::too_many_steps;
    }
    double h = method.largest_step > 0 ? std::min(member.next, method.largest_step) : member.next;
    const double rest = end - member.last.end;
    const bool last = rest <= 1.01 * h;
    if (last) h = rest;
    const double rounding = 16 * std::numeric_limits<double>::epsilon();
    const double smallest =
        std::max(method.smallest_step, rounding * std::max(std::abs(member.last.end), grid.end - grid.start));
    if (!last && h < smallest) {
      x = unstacked(x, member.last.end, member.last.y1);
      return obstacle == Status::ok ? Status::step_too_small : obstacle;
    }
    const RankMemory before = member.memory;
    const bool passes = method.stabilization.kind == Stabilization::Kind::projection && member.memory.speed > 0;
    const auto way = passes ? try_past : way_of(method.integrator);
    const Trial trial = way(model, method, member.memory, x, member.last, h);
    const bool accepted = trial.status == Status::ok && trial.error <= 1;
    const double error = trial.status == Status::ok && trial.error < 1e30 ? std::max(trial.error, 1e-10) : 1e30;
    double factor = 0.9 * std::pow(error, passes ? -passing_exponent : -tableau.alpha);
    if (accepted) factor = std::min(factor * std::pow(member.error, passes ? 0 : tableau.beta), again ? 1. : 10.);
    const double proposed = h * std::max(factor, 0.2);
    member.next = accepted && last && end < grid_end ? std::max(proposed, member.next) : proposed;
    obstacle = trial.status;
    again = !accepted;
    if (!accepted) {
      ++member.rejected;
      continue;
    }
    ++member.accepted;
    member.last = trial.step;
    member.before = before;
    note_stiffness(tableau, x, member);
    if (last) member.last.end = end;
    member.error = std::max(trial.error, remembered_error);
    note_rank(member.memory, trial.rank);
    if (after_step) after_step(member);
    if (changes != nullptr && std::isnan(member.cut) && std::isnan(member.ends) &&
        changes->ticks_at(member.last.begin, member.last.end)) {
      member.cut = member.last.end;
      member.cut_by.clear();
    }
  }
  const bool ended = member.ends <= target;
  const bool is_changed = changes != nullptr && changes->is_same(member.last.end, target);
  const double seen = is_changed ? std::max(member.last.end, target) : target;
  Status status = arrive(model, method, member, ended ? member.ends : seen, x);
  if (status == Status::ok && changes != nullptr && x.t < member.last.end) status = changes->judged(x);
  return status == Status::ok && ended ? Status::stopped : status;
}

Status arrive(const MechanicalModel& model, const Method& method, const AdaptiveMember& member, double t, Instant& x) {
  if (member.last.end == t) {
    x = unstacked(x, t, member.last.y1);
    return Status::ok;
  }
  AdaptiveStep step = member.last;
  if (step.k.cols() > 0) {
    const Status status = extend(model, method, step, x);
    if (status != Status::ok) {
      x = unstacked(x, step.end, step.y1);
      return status;
    }
  }
  x = unstacked(x, t, state_at(method, step, t));
  const bool projects = method.stabilization.kind == Stabilization::Kind::projection;
  if (!projects) return Status::ok;
  EndedStep ended = {step.end - step.begin};
  return project(model, method, RankChoice::fresh(method), step_iterations, x, {}, ended);
}

std::function<Instant(double part)> extension_of(const MechanicalModel& model, const Method& method,
                                                 const AdaptiveMember& member, const Instant& like) {
  AdaptiveStep step = member.last;
  if (step.k.cols() > 0 && extend(model, method, step, like) != Status::ok) {
    return [step, like](double) { return unstacked(like, step.end, step.y1); };
  }
  return [step, like, &method](double part) {
    const double t = step.begin + part * (step.end - step.begin);
    return unstacked(like, t, state_at(method, step, t));
  };
}

std::optional<Instant> made_again(const MechanicalModel& model, const Method& method, const AdaptiveMember& member,
                                  const Instant& begin, double t) {
  AdaptiveMember again = member;
  AdaptiveStep last;
  last.end = member.last.begin;
  last.y1 = stacked(begin.q, begin.w);
  RankMemory memory = member.before;
  const Rate rate = rate_at(model, method, RankChoice::at_step(method, memory.rank), begin);
  if (rate.status != Status::ok) return std::nullopt;
  last.f1 = stacked(rate.q_dot, rate.w_dot);
  const auto way = way_of(method.integrator);
  const Trial trial = way(model, method, memory, begin, last, member.last.end - member.last.begin);
  if (trial.status != Status::ok) return std::nullopt;
  again.last = trial.step;
  again.last.end = member.last.end;
  Instant x = begin;
  if (arrive(model, method, again, t, x) != Status::ok) return std::nullopt;
  return x;
}

Instant step_begin(const AdaptiveMember& member, const Instant& like) {
  return unstacked(like, member.last.begin, member.last.y0);
}
Instant step_end(const AdaptiveMember& member, const Instant& like) {
  return unstacked(like, member.last.end, member.last.y1);
}

}  // namespace kalaba::reference
