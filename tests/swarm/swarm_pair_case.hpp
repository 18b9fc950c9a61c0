#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "kalaba/swarm.hpp"
#include "kalaba/swarm/pair_kernel.hpp"
#include "swarm/pair_summation.hpp"
#include "swarm/swarm_options.hpp"

namespace kalaba {

using namespace swarm;

inline const SwarmLaw& morse() { return swarm_laws()[1]; }

/// Swarm with random positions and velocities, and the sums over its pairs.
template <int D>
struct Case {
  AgentArrays<D> x, w;
  SumArrays<D> sums;
  long size;

  explicit Case(long agents) : size(agents) {
    x.resize(agents);
    w.resize(agents);
    std::mt19937 engine(7);
    std::uniform_real_distribution<double> any(-5, 5);
    for (int d = 0; d < D; ++d) {
      for (long i = 0; i < agents; ++i) {
        x[d][i] = any(engine);
        w[d][i] = any(engine);
      }
    }
    sums.resize(agents);
  }
  void sum(const PairKernel<D>& kernel, const std::vector<double>& p, PairSum method, double tolerance = 1e-6,
           int threads = 2) {
    PairSummation<D>(kernel, method, tolerance).evaluate(p.data(), cloud_of(x, w, size), sums.sums(), threads);
  }
  std::vector<double> all() {
    std::vector<double> values;
    for (int d = 0; d < D; ++d) {
      values.insert(values.end(), sums.gradient[d], sums.gradient[d] + size);
      values.insert(values.end(), sums.rate[d], sums.rate[d] + size);
    }
    return values;
  }
};

inline const std::vector<double> paper_parameters = {0.5};
inline const std::vector<double> morse_parameters = {1, 0.3, 0.5, 1.1};

inline double relative_error(const std::vector<double>& found, const std::vector<double>& expected) {
  double error = 0;
  double size = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    error += (found[i] - expected[i]) * (found[i] - expected[i]);
    size += expected[i] * expected[i];
  }
  return std::sqrt(error / size);
}

}  // namespace kalaba
