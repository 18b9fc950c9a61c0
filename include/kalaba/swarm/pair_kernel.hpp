#pragma once

#include <algorithm>
#include <cmath>

#include "kalaba/backend/pack.hpp"
#include "kalaba/swarm/pair_sum.hpp"

namespace kalaba {

/// Positions (m) and velocities (m/s) of agents in D dimensions, with a separate array for each axis. Every array can
/// be read agent_padding numbers beyond its end.
template <int D>
struct Cloud {
  const double* x[D];
  const double* w[D];
  long size = 0;
};
inline constexpr long agent_padding = 16;

/// Sums over pairs, one number per agent: the gradient of its potential, the gradient's time derivative along the
/// velocities, and the number of agents at exactly the same position (including itself).
template <int D>
struct PairSums {
  double* gradient[D];  ///< m/s
  double* rate[D];      ///< m/s^2
  double* coincident;
};

/// A pair law with its type erased, for the summation methods. `p` are the law's own parameters.
template <int D>
class PairKernel {
 public:
  virtual ~PairKernel() = default;
  /// Adds, to the targets first … last - 1, the contributions of the sources first_source … last_source - 1, without
  /// the harmonic part. A pair at distance zero contributes to `coincident` only.
  virtual void add(const double* p, const Cloud<D>& targets, long first, long last, const Cloud<D>& sources,
                   long first_source, long last_source, const PairSums<D>& sums) const = 0;
  /// Potential without its harmonic part at `count` distances.
  virtual void potential(const double* p, const double* r, double* values, long count) const = 0;
  virtual double harmonic(const double* p) const = 0;
  /// m; infinite if the law has none.
  virtual double cutoff(const double* p) const = 0;
  /// Length of `p`.
  virtual int parameter_count() const = 0;
};

/// Kernel of a law, for packs of targets.
template <PairLaw L, int D>
class LawKernel final : public PairKernel<D> {
 public:
  void add(const double* p, const Cloud<D>& targets, long first, long last, const Cloud<D>& sources, long first_source,
           long last_source, const PairSums<D>& sums) const override {
    for (long i = first; i < last; i += X::lanes) {
      const Agent<X, D> target = load(targets, i);
      AgentSums<X, D> totals;
      totals.clear();
      for (long j = first_source; j < last_source; ++j) add_pair<L>(p, target, everywhere(sources, j), totals);
      store(totals, sums, i, std::min<long>(X::lanes, last - i));
    }
  }

  void potential(const double* p, const double* r, double* values, long count) const override {
    double in[X::lanes];
    for (long i = 0; i < count; i += X::lanes) {
      const long lanes = std::min<long>(X::lanes, count - i);
      std::fill_n(in, X::lanes, 1.0);
      std::copy_n(r + i, lanes, in);
      double out[X::lanes];
      pair_potential<L>(p, X::load(in)).value.store(out);
      std::copy_n(out, lanes, values + i);
    }
  }

  double harmonic(const double* p) const override {
    if constexpr (requires { L::harmonic(p); }) return L::harmonic(p);
    return 0;
  }
  double cutoff(const double* p) const override {
    if constexpr (has_cutoff<L>) return L::cutoff(p);
    return HUGE_VAL;
  }
  int parameter_count() const override { return static_cast<int>(std::size(L::parameters)); }

 private:
  using X = Pack<double>;
  static_assert(X::lanes <= agent_padding);

  /// Pack of agents from i on.
  static Agent<X, D> load(const Cloud<D>& cloud, long i) {
    Agent<X, D> agents;
    for (int d = 0; d < D; ++d) {
      agents.x[d] = X::load(cloud.x[d] + i);
      agents.w[d] = X::load(cloud.w[d] + i);
    }
    return agents;
  }
  /// Agent j in every lane.
  KALABA_FN static Agent<X, D> everywhere(const Cloud<D>& cloud, long j) {
    Agent<X, D> agent;
    KALABA_UNROLL
    for (int d = 0; d < D; ++d) {
      agent.x[d] = X(cloud.x[d][j]);
      agent.w[d] = X(cloud.w[d][j]);
    }
    return agent;
  }

  static void store(const AgentSums<X, D>& totals, const PairSums<D>& sums, long i, long lanes) {
    for (int d = 0; d < D; ++d) {
      add_lanes(totals.gradient[d], sums.gradient[d] + i, lanes);
      add_lanes(totals.rate[d], sums.rate[d] + i, lanes);
    }
    add_lanes(totals.coincident, sums.coincident + i, lanes);
  }
  static void add_lanes(const X& from, double* to, long lanes) {
    double values[X::lanes];
    from.store(values);
    for (long lane = 0; lane < lanes; ++lane) to[lane] += values[lane];
  }
};

}  // namespace kalaba
