#include "swarm/swarm_motion.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "kalaba/backend/parallel.hpp"

namespace kalaba::swarm {
namespace {

constexpr long agents_per_task = 1 << 14;
constexpr int start_corrections = 50;  // bounds, as for the members of small systems
constexpr int step_corrections = 8;
constexpr double rk4_decay_limit = 2.785;  // of dt times a rate of decay

}  // namespace

template <int D>
void SwarmMotion<D>::begin(std::vector<double> parameters, long agents, int threads) {
  parameters_ = std::move(parameters);
  threads_ = threads;
  size_ = agents;
  status_ = Status::ok;
  reason_.clear();
  for (auto* arrays : {&x_, &w_, &beta_, &acceleration_, &stage_x_, &stage_w_, &next_x_, &next_w_}) {
    arrays->resize(agents);
  }
  sums_.resize(agents);
  holds_.begin(agents, threads);
}

template <int D>
double SwarmMotion<D>::beta_norm() const {
  double square = 0;
  std::vector<double> squares(static_cast<std::size_t>(size_));
  for (int d = 0; d < D; ++d) {
    for (long i = 0; i < size_; ++i) squares[i] = beta_[d][i] * beta_[d][i];
    square += sum_of(squares.data(), size_);
  }
  return std::sqrt(square);
}

template <int D>
bool SwarmMotion<D>::finite(const AgentArrays<D>& x, const AgentArrays<D>& w) {
  for (int d = 0; d < D; ++d) {
    for (long i = 0; i < size_; ++i) {
      if (std::isfinite(x[d][i]) && std::isfinite(w[d][i])) continue;
      status_ = Status::non_finite;
      reason_ = "agent " + std::to_string(i) + " has no finite place or velocity";
      return false;
    }
  }
  return true;
}

/// Returns true if every agent coincides only with itself.
template <int D>
bool SwarmMotion<D>::apart(const AgentArrays<D>& x) {
  const double* met = sums_.coincident[0];
  long first = 0;
  while (first < size_ && met[first] < 1.5) ++first;
  if (first == size_) return true;
  long second = first + 1;
  const auto together = [&](long j) {
    double square = 0;
    for (int d = 0; d < D; ++d) square += (x[d][first] - x[d][j]) * (x[d][first] - x[d][j]);
    return square == 0;
  };
  while (second < size_ && !together(second)) ++second;
  status_ = Status::singular_constraints;
  reason_ = "agents " + std::to_string(first) + " and " + std::to_string(second) +
            " are at the same place, where the law is singular";
  return false;
}

template <int D>
bool SwarmMotion<D>::accelerate(double t, AgentArrays<D>& x, AgentArrays<D>& w) {
  if (!finite(x, w)) return false;
  const PairSums<D> sums = sums_.sums();
  if (!pairs_.evaluate(law_parameters(), cloud_of(x, w, size_), sums, threads_)) {
    status_ = Status::non_finite;
    reason_ = "agent positions exceed the range of double";
    return false;
  }
  if (!apart(x)) return false;
  const double strength = parameters_[rules_.places.strength];
  const double gain = beta_gain();
  parallel_for(size_, agents_per_task, threads_, [&](long begin, long end) {
    for (int d = 0; d < D; ++d) {
      for (long i = begin; i < end; ++i) {
        beta_[d][i] = w[d][i] + strength * sums.gradient[d][i];
        acceleration_[d][i] = -strength * sums.rate[d][i] - gain * beta_[d][i];
      }
    }
  });
  const Status held = holds_.hold(t, rules_.method, {x, w, beta_, acceleration_});
  return held == Status::ok || fail_held(held, " has no acceleration that keeps it");
}

template <int D>
double SwarmMotion<D>::beta_gain() const {
  const Stabilization& requested = rules_.method.stabilization;
  return parameters_[rules_.places.kappa] +
         (requested.kind == Stabilization::Kind::feedback ? requested.rate_gain : 0.0);
}

/// A swarm's harmonic part decays with its strength times the number of agents, beta with its gain.
template <int D>
bool SwarmMotion<D>::fail_step(double dt) {
  const double spring = parameters_[rules_.places.strength] * rules_.kernel->harmonic(law_parameters());
  const double longest = rk4_decay_limit / std::max(spring * static_cast<double>(size_), beta_gain());
  if (status_ == Status::non_finite && dt > longest) {
    char text[100];
    std::snprintf(text, sizeof text, " (dt = %.3g s: RK4 is stable here up to %.2g s)", dt, longest);
    reason_ += text;
  }
  return false;
}

template <int D>
bool SwarmMotion<D>::fail_held(Status status, const char* what) {
  status_ = status;
  reason_ = holds_.failed() + what;
  return false;
}

template <int D>
bool SwarmMotion<D>::put_held(double t, int corrections, AgentArrays<D>& x, AgentArrays<D>& w) {
  const Status put = holds_.project(t, rules_.method, corrections, {x, w, beta_, acceleration_});
  return put == Status::ok || fail_held(put, ", cannot be put on it");
}

template <int D>
bool SwarmMotion<D>::project(double t) {
  if (!finite(x_, w_) || !put_held(t, start_corrections, x_, w_) || !evaluate(t)) return false;
  shift(w_, w_, beta_, -1);
  return finite(x_, w_);
}

template <int D>
void SwarmMotion<D>::shift(AgentArrays<D>& to, const AgentArrays<D>& base, const AgentArrays<D>& slope, double factor) {
  parallel_for(size_, agents_per_task, threads_, [&](long begin, long end) {
    for (int d = 0; d < D; ++d) {
      for (long i = begin; i < end; ++i) to[d][i] = base[d][i] + factor * slope[d][i];
    }
  });
}

template <int D>
bool SwarmMotion<D>::step(double t, double dt, bool evaluated) {
  if ((!evaluated && !evaluate(t)) || !all_stages(t, dt) || !finite(next_x_, next_w_)) return fail_step(dt);
  if (!put_held(t + dt, step_corrections, next_x_, next_w_)) return false;
  std::swap(x_, next_x_);
  std::swap(w_, next_w_);
  if (rules_.method.stabilization.kind != Stabilization::Kind::projection || project(t + dt)) return true;
  std::swap(x_, next_x_);
  std::swap(w_, next_w_);
  return false;
}

/// The classical Runge-Kutta method on (x, w), from the acceleration at the present state.
template <int D>
bool SwarmMotion<D>::all_stages(double t, double dt) {
  constexpr double ahead[] = {0.5, 0.5, 1};
  constexpr double weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  shift(next_x_, x_, w_, weight[0] * dt);
  shift(next_w_, w_, acceleration_, weight[0] * dt);
  for (int stage = 0; stage < 3; ++stage) {
    // The stage's velocity is the slope of x; the first stage's is w itself.
    shift(stage_x_, x_, stage == 0 ? w_ : stage_w_, ahead[stage] * dt);
    shift(stage_w_, w_, acceleration_, ahead[stage] * dt);
    if (!accelerate(t + ahead[stage] * dt, stage_x_, stage_w_)) return false;
    shift(next_x_, next_x_, stage_w_, weight[stage + 1] * dt);
    shift(next_w_, next_w_, acceleration_, weight[stage + 1] * dt);
  }
  return true;
}

template class SwarmMotion<2>;
template class SwarmMotion<3>;

}  // namespace kalaba::swarm
