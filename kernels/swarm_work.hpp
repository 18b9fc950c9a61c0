#pragma once

#include "kalaba/core/model/status.hpp"
#include "kalaba/swarm/pair_sum.hpp"
#include "kernels/swarm_batch.hpp"

namespace kalaba {

/// Sums over agents, and indices of first agents.
template <int D>
struct SwarmTotals {
  static constexpr int sums = 2 * D + 1;       ///< positions, velocities, |beta|^2
  static constexpr int coincident = sums;      ///< the first agent that coincides with another
  static constexpr int non_finite = sums + 1;  ///< the first agent without a finite position or velocity
  static constexpr int size = sums + 2;
  static constexpr double none = 1e300;
  double number[size];

  KALABA_FN void clear() {
    KALABA_UNROLL
    for (int k = 0; k < size; ++k) number[k] = k < sums ? 0 : none;
  }
  KALABA_FN void add(const SwarmTotals& other) {
    KALABA_UNROLL
    for (int k = 0; k < size; ++k) {
      number[k] = k < sums ? number[k] + other.number[k] : min_of(number[k], other.number[k]);
    }
  }
  KALABA_FN void note(int which, long agent) { number[which] = min_of(number[which], static_cast<double>(agent)); }
  KALABA_FN bool has(int which) const { return number[which] < none; }
};

/// An agent in the form that pair sums read.
template <class Real, int D>
struct alignas(16) SwarmSource {
  Agent<Real, D> agent;
};

/// Rows of one swarm in any memory, and the functions that advance its agents.
template <PairLaw L, class Real, int D>
struct SwarmWork {
  static constexpr SwarmPlaces places{1 + static_cast<int>(sizeof(L::parameters) / sizeof(L::parameters[0]))};
  using Law = L;
  using Number = Real;
  static constexpr int dimension = D;
  using Source = SwarmSource<Real, D>;
  using Totals = SwarmTotals<D>;

  double* rows;
  const double* parameters;
  long pitch;  ///< distance between rows
  long count;  ///< number of active agents
  // Uniform forces, from the totals of the state under evaluation
  double strength;
  double gain;
  double pull;  ///< of the harmonic part: sum over j of (q_i - q_j) = N (q_i - mean)
  double centre[D];
  double drift[D];

  KALABA_FN double& at(SwarmRow row, int d, long i) const { return rows[(static_cast<int>(row) * D + d) * pitch + i]; }

  KALABA_FN void read(const SwarmBatch& batch, long member) {
    rows = batch.rows + member * batch.stride;
    pitch = batch.pitch;
    parameters = batch.parameters + member * places.count();
    count = static_cast<long>(parameters[places.active()]);
    strength = parameters[places.strength()];
    gain = parameters[places.kappa] + batch.rate_gain;
  }
  KALABA_FN void read_totals(const SwarmRecord& record) {
    pull = 0;
    if constexpr (requires { L::harmonic(parameters); }) {
      pull = L::harmonic(parameters + places.law()) * static_cast<double>(count);
    }
    KALABA_UNROLL
    for (int d = 0; d < D; ++d) {
      centre[d] = record.sums[d] / static_cast<double>(count);
      drift[d] = record.sums[D + d] / static_cast<double>(count);
    }
  }

  /// Makes the current state the one to evaluate.
  KALABA_FN void begin(long i, Totals& totals) const {
    KALABA_UNROLL
    for (int d = 0; d < D; ++d) {
      at(SwarmRow::stage_x, d, i) = at(SwarmRow::x, d, i);
      at(SwarmRow::stage_w, d, i) = at(SwarmRow::w, d, i);
    }
    accumulate(i, totals);
  }
  KALABA_FN void commit(long i) const {
    KALABA_UNROLL
    for (int d = 0; d < D; ++d) {
      at(SwarmRow::x, d, i) = at(SwarmRow::stage_x, d, i);
      at(SwarmRow::w, d, i) = at(SwarmRow::stage_w, d, i);
    }
  }
  KALABA_FN Source source(long i) const {
    Source source;
    KALABA_UNROLL
    for (int d = 0; d < D; ++d) {
      source.agent.x[d] = static_cast<Real>(at(SwarmRow::stage_x, d, i));
      source.agent.w[d] = static_cast<Real>(at(SwarmRow::stage_w, d, i));
    }
    return source;
  }

  /// Advances agent i by its sums over pairs (without the harmonic part) to the state that is evaluated next.
  KALABA_FN void advance(long i, const AgentSums<double, D>& sums, SwarmMove move, double dt, Totals& totals) const {
    KALABA_UNROLL
    for (int d = 0; d < D; ++d) {
      const double x = at(SwarmRow::stage_x, d, i);
      const double w = at(SwarmRow::stage_w, d, i);
      const double beta = w + strength * (sums.gradient[d] + pull * (x - centre[d]));
      const double acceleration = -strength * (sums.rate[d] + pull * (w - drift[d])) - gain * beta;
      totals.number[Totals::sums - 1] += beta * beta;
      if (move == SwarmMove::look) {
        at(SwarmRow::next_x, d, i) = beta;
        at(SwarmRow::next_w, d, i) = acceleration;
      } else if (move == SwarmMove::project) {
        at(SwarmRow::stage_w, d, i) = w - beta;
      } else {
        step(i, d, x, w, acceleration, move, dt);
      }
    }
    if (sums.coincident > 1.5) totals.note(Totals::coincident, i);
    accumulate(i, totals);
  }

 private:
  /// A stage of the classical Runge-Kutta method: the velocity w is the slope of x.
  KALABA_FN void step(long i, int d, double x, double w, double acceleration, SwarmMove move, double dt) const {
    const bool is_first = move == SwarmMove::first;
    const bool is_last = move == SwarmMove::last;
    const double weight = dt * (is_first || is_last ? 1.0 / 6 : 1.0 / 3);
    const double next_x = (is_first ? x : at(SwarmRow::next_x, d, i)) + weight * w;
    const double next_w = (is_first ? w : at(SwarmRow::next_w, d, i)) + weight * acceleration;
    if (is_last) {
      at(SwarmRow::stage_x, d, i) = next_x;
      at(SwarmRow::stage_w, d, i) = next_w;
      return;
    }
    at(SwarmRow::next_x, d, i) = next_x;
    at(SwarmRow::next_w, d, i) = next_w;
    if (is_first) {
      at(SwarmRow::x, d, i) = x;
      at(SwarmRow::w, d, i) = w;
    }
    const double ahead = dt * (move == SwarmMove::third ? 1.0 : 0.5);
    at(SwarmRow::stage_x, d, i) = at(SwarmRow::x, d, i) + ahead * w;
    at(SwarmRow::stage_w, d, i) = at(SwarmRow::w, d, i) + ahead * acceleration;
  }

  /// Adds the state that is evaluated next to the totals.
  KALABA_FN void accumulate(long i, Totals& totals) const {
    KALABA_UNROLL
    for (int d = 0; d < D; ++d) {
      const double x = at(SwarmRow::stage_x, d, i);
      const double w = at(SwarmRow::stage_w, d, i);
      if (!both(is_finite(x), is_finite(w))) totals.note(Totals::non_finite, i);
      totals.number[d] += x;
      totals.number[D + d] += w;
    }
  }
};

/// Returns true if two agents coincide in the precision of pair sums.
template <class Real, int D>
KALABA_FN bool coincide(const SwarmSource<Real, D>& a, const SwarmSource<Real, D>& b) {
  Real square(0);
  KALABA_UNROLL
  for (int d = 0; d < D; ++d) square = fma(a.agent.x[d] - b.agent.x[d], a.agent.x[d] - b.agent.x[d], square);
  return square == Real(0);
}

/// Stores the result of an evaluation at time t. `looking`: a failure belongs to the observation, and not to the swarm.
template <int D>
KALABA_FN void finish(SwarmRecord& record, const SwarmTotals<D>& totals, double other, double settled_below,
                      SwarmMove move, double t, bool looking) {
  using Totals = SwarmTotals<D>;
  if (move == SwarmMove::begin) record.active = looking || record.status == 0 ? 1 : 0;
  if (record.active == 0) return;
  const double beta_norm = sqrt(totals.number[Totals::sums - 1]);
  const bool coincident = totals.has(Totals::coincident);
  if (!coincident && move == SwarmMove::look) record.beta_norm = beta_norm;
  if (!coincident && move == SwarmMove::first && record.settled != record.settled && beta_norm < settled_below) {
    record.settled = t;
  }
  KALABA_UNROLL
  for (int k = 0; k < 2 * D; ++k) record.sums[k] = totals.number[k];
  if (!coincident && !totals.has(Totals::non_finite)) return;
  record.active = 0;
  if (looking) return;
  record.status = static_cast<double>(coincident ? Status::singular_constraints : Status::non_finite);
  record.failure_time = t;
  record.agent = coincident ? totals.number[Totals::coincident] : totals.number[Totals::non_finite];
  record.other = other;
}

}  // namespace kalaba
