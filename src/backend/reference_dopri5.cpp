#include "backend/reference_dopri5.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/reference_projection.hpp"
#include "backend/reference_rate.hpp"

namespace kalaba::reference {
namespace {

constexpr int stages = 7;
constexpr double nodes[stages] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
// Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, table II.5.2.
constexpr double a[stages][stages] = {{},
                                      {1. / 5},
                                      {3. / 40, 9. / 40},
                                      {44. / 45, -56. / 15, 32. / 9},
                                      {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
                                      {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
                                      {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
constexpr double fourth_order[stages] = {5179. / 57600,    0,           7571. / 16695, 393. / 640,
                                         -92097. / 339200, 187. / 2100, 1. / 40};
// Of the continuous extension in their code DOPRI5.
constexpr double bend[stages] = {-12715105075. / 11282082432,  0,
                                 87487479700. / 32700410799,   -10690763975. / 1880347072,
                                 701980252875. / 199316789632, -1453857185. / 822651844,
                                 69997945. / 29380423};

constexpr double remembered_error = 1e-4;

Vector stacked(const Vector& q, const Vector& w) {
  Vector y(q.size() + w.size());
  y << q, w;
  return y;
}

Instant at(const Instant& like, double t, const Vector& y) {
  return {like.p, t, y.head(like.q.size()), y.tail(like.w.size())};
}

struct Trial {
  Status status = Status::ok;
  AdaptiveStep step;
  double error = 0;  ///< in units of the tolerance
  int rank = 0;      ///< of A at the end
};

double error_norm(const Method& method, const Vector& error, const AdaptiveStep& step) {
  const Vector size = step.y0.cwiseAbs().cwiseMax(step.y1.cwiseAbs());
  const Vector scale = (method.relative_tolerance * size).array() + method.absolute_tolerance;
  return error.cwiseQuotient(scale).norm() / std::sqrt(static_cast<double>(error.size()));
}

/// A step of length h from the end of `last`.
Trial try_step(const MechanicalModel& model, const Method& method, const Instant& like, const AdaptiveStep& last,
               double h) {
  Trial trial;
  trial.step = {.begin = last.end, .end = last.end + h, .y0 = last.y1, .y1 = {}, .f0 = last.f1, .f1 = {}, .bend = {}};
  Matrix k = Matrix::Zero(last.f1.size(), stages);
  k.col(0) = last.f1;
  for (int s = 1; s < stages; ++s) {
    Vector slope = Vector::Zero(last.f1.size());
    for (int j = 0; j < s; ++j) slope += a[s][j] * k.col(j);
    Instant x = at(like, last.end + nodes[s] * h, last.y1 + h * slope);
    if (s + 1 == stages) {
      trial.status = settle(model, method, x);
      if (trial.status != Status::ok) return trial;
      trial.step.y1 = stacked(x.q, x.w);
    }
    const Rate rate = rate_at(model, method, x);
    trial.status = rate.status;
    if (trial.status != Status::ok) return trial;
    k.col(s) = stacked(rate.q_dot, rate.w_dot);
    if (s + 1 < stages) continue;
    trial.rank = rate.rank;
    if (!consistent(rate, method)) trial.status = Status::inconsistent_constraints;
  }
  trial.step.f1 = k.col(stages - 1);
  Vector difference = Vector::Zero(last.f1.size());
  trial.step.bend = difference;
  for (int j = 0; j < stages; ++j) {
    const double fifth_order = a[stages - 1][j];
    difference += h * (fifth_order - fourth_order[j]) * k.col(j);
    trial.step.bend += bend[j] * k.col(j);
  }
  trial.error = error_norm(method, difference, trial.step);
  return trial;
}

/// The cubic through both ends, and its bend: order 4 at every t within the step.
Vector state_at(const AdaptiveStep& step, double t) {
  const double h = step.end - step.begin;
  const double s = (t - step.begin) / h;
  const double r = 1 - s;
  return r * r * (1 + 2 * s) * step.y0 + s * s * (3 - 2 * s) * step.y1 + s * r * r * h * step.f0 -
         s * s * r * h * step.f1 + s * s * r * r * h * step.bend;
}

void note_rank(AdaptiveMember& member, int rank) {
  if (member.rank >= 0 && member.rank != rank) ++member.rank_changes;
  member.rank = rank;
}

Status begin(const MechanicalModel& model, const Method& method, const TimeGrid& grid, AdaptiveMember& member,
             const Instant& x) {
  const Rate rate = rate_at(model, method, x);
  if (rate.status != Status::ok) return rate.status;
  note_rank(member, rate.rank);
  member.last.begin = member.last.end = x.t;
  member.last.y0 = member.last.y1 = stacked(x.q, x.w);
  member.last.f0 = member.last.f1 = stacked(rate.q_dot, rate.w_dot);
  member.next = grid.dt;
  member.error = remembered_error;
  return consistent(rate, method) ? Status::ok : Status::inconsistent_constraints;
}

}  // namespace

Status advance_adaptively(const MechanicalModel& model, const Method& method, const TimeGrid& grid, double target,
                          AdaptiveMember& member, Instant& x, const std::function<void(AdaptiveMember&)>& after_step) {
  if (member.next == 0) {
    const Status status = begin(model, method, grid, member, x);
    if (status != Status::ok) return status;
  }
  const double end = grid.at(grid.steps());
  Status obstacle = Status::ok;
  bool again = false;
  while (member.last.end < target && std::isnan(member.ends)) {
    double h = method.largest_step > 0 ? std::min(member.next, method.largest_step) : member.next;
    const double rest = end - member.last.end;
    const bool last = rest <= 1.01 * h;
    if (last) h = rest;
    const double rounding = 16 * std::numeric_limits<double>::epsilon();
    const double smallest =
        std::max(method.smallest_step, rounding * std::max(std::abs(member.last.end), grid.end - grid.start));
    if (!last && h < smallest) {
      x = at(x, member.last.end, member.last.y1);
      return obstacle == Status::ok ? Status::step_too_small : obstacle;
    }
    const Trial trial = try_step(model, method, x, member.last, h);
    const bool accepted = trial.status == Status::ok && trial.error <= 1;
    const double error = trial.status == Status::ok && trial.error < 1e30 ? std::max(trial.error, 1e-10) : 1e30;
    double factor = 0.9 * std::pow(error, -11. / 64);
    if (accepted) factor = std::min(factor * std::pow(member.error, 2. / 64), again ? 1. : 10.);
    member.next = h * std::max(factor, 0.2);
    obstacle = trial.status;
    again = !accepted;
    if (!accepted) {
      ++member.rejected;
      continue;
    }
    ++member.accepted;
    member.last = trial.step;
    if (last) member.last.end = end;
    member.error = std::max(trial.error, remembered_error);
    note_rank(member, trial.rank);
    if (after_step) after_step(member);
  }
  const bool ended = member.ends <= target;
  const Status status = arrive(model, method, member, ended ? member.ends : target, x);
  return status == Status::ok && ended ? Status::stopped : status;
}

Status arrive(const MechanicalModel& model, const Method& method, const AdaptiveMember& member, double t, Instant& x) {
  if (member.last.end == t) {
    x = at(x, t, member.last.y1);
    return Status::ok;
  }
  x = at(x, t, state_at(member.last, t));
  const bool projects = method.stabilization.kind == Stabilization::Kind::projection;
  return projects ? project(model, method, step_iterations, x) : Status::ok;
}

Instant step_begin(const AdaptiveMember& member, const Instant& like) {
  return at(like, member.last.begin, member.last.y0);
}
Instant step_end(const AdaptiveMember& member, const Instant& like) {
  return at(like, member.last.end, member.last.y1);
}

}  // namespace kalaba::reference
