#include "backend/reference/passage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/reference/projection.hpp"

namespace kalaba::reference {
namespace {

constexpr int stage_iterations = 2;

RankChoice choice_of(const Method& method, const RankMemory& memory, bool at_end) {
  RankChoice choice = RankChoice::within_step(method, memory.rank);
  const double rounding = 8 * std::sqrt(std::numeric_limits<double>::epsilon()) / memory.speed;
  const double limit = at_end ? 0.3 * memory.speed : std::min(rounding, 0.05 * memory.speed);
  choice.held = std::max(choice.held, limit);
  choice.tolerance = std::max(choice.tolerance, choice.held);
  choice.shortest_row = std::max(choice.shortest_row, choice.held);
  return choice;
}

struct Slope {
  Vector q, w;
};

Instant moved(const Instant& x, double t, double h, const Slope& slope) {
  return {x.p, t, x.q + h * slope.q, x.w + h * slope.w};
}

}  // namespace

void LeastValues::add(double node, double value) {
  if (!clear_) return;
  nodes_.push_back(node);
  add(value);
}

void LeastValues::add(double value) {
  if (!clear_) return;
  values_.push_back(value);
  clear_ = !(value < std::max(change(), steepest()) / 64);
}

double LeastValues::change() const {
  const auto [least, most] = std::ranges::minmax(values_);
  return most - least;
}

double LeastValues::steepest() const {
  double steepest = 0;
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    steepest = std::max(steepest, std::abs(values_[i] - values_[i - 1]) / (nodes_[i] - nodes_[i - 1]));
  }
  return steepest;
}

void LeastValues::note(double steps, RankMemory& memory, double noisy) const {
  const double least = std::ranges::min(values_);
  const double speed = std::max(change(), steepest());
  const double reach = steps * speed * (memory.speed > 0 ? 2 : 1) * (least < noisy ? 8 : 1);
  const bool near = least < near_value && least < reach;
  if (near && memory.speed == 0) ++memory.passages;
  memory.speed = near ? speed : 0;
}

bool LeastValues::is_in_sight() const { return std::ranges::min(values_) < near_value; }

double LeastValues::least_with_weight(const RankMemory& memory) const {
  const double at_ends = clear_ ? std::min(values_.front(), values_.back()) : values_.front();
  return std::min(std::max(std::ranges::min(values_), memory.speed / 8), at_ends);
}

bool LeastValues::crosses() const { return std::ranges::min(values_) < near_value && values_.front() <= 2 * change(); }

double LeastValues::split() const {
  const double slope = steepest();
  if (!(slope > 0)) return 0;
  const double place = values_.front() / slope;
  const bool crosses = values_.back() < values_.front() + slope / 2;
  return crosses && place > 0.125 && place < 0.875 ? (place - 0.125) / 0.75 : 0;
}

Step pass(const MechanicalModel& model, const Method& method, const RankMemory& memory, const Instant& x, double dt,
          double end_time, LeastValues& seen, int rank_before) {
  seen = {};
  Step step{Status::ok, x, memory.rank};
  const auto slope_at = [&](double part, Instant stage, bool counts) -> Slope {
    stage.t = x.t + part * dt;
    EndedStep stage_end = {part * dt};
    if (part > 0) project(model, method, choice_of(method, memory, false), stage_iterations, stage, {}, stage_end);
    if (!stage.q.allFinite() || !stage.w.allFinite()) {
      step.status = Status::non_finite;
      return {Vector::Zero(x.q.size()), Vector::Zero(x.w.size())};
    }
    const Rate rate = evaluate_rate(model, method, RankChoice::within_step(method, memory.rank), stage);
    if (rate.status != Status::ok) {
      step.status = rate.status;
      return {Vector::Zero(x.q.size()), Vector::Zero(x.w.size())};
    }
    if (counts) {
      seen.add(part, rate.least_value);
    }
    return {rate.q_dot, rate.w_dot};
  };
  const Slope begin = slope_at(0, x, true);
  const Slope coarse = slope_at(0.5, moved(x, x.t, dt / 2, begin), false);
  const Instant quarter = moved(x, x.t, dt / 4, begin);
  const Slope first = slope_at(0.25, quarter, true);
  const Slope half = slope_at(0.5, moved(x, x.t, dt / 2, first), true);
  const Slope third = slope_at(0.75, moved(quarter, x.t, dt / 2, half), true);
  if (step.status != Status::ok) return step;
  step.end.t = end_time;
  step.end.q += dt / 3 * (2 * first.q - coarse.q + 2 * third.q);
  step.end.w += dt / 3 * (2 * first.w - coarse.w + 2 * third.w);
  EndedStep ended = {dt, rank_before, x.w};
  step.status = settle(model, method, choice_of(method, memory, true), step.end, ended);
  step.torn = ended.torn;
  return step;
}

}  // namespace kalaba::reference
