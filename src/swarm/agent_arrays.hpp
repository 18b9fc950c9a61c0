#pragma once

#include <array>
#include <limits>
#include <vector>

#include "kalaba/swarm/pair_kernel.hpp"

namespace kalaba::swarm {

/// Value of quantities that are undefined for a swarm with few agents or at an instant.
inline constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

/// One number per agent and axis.
template <int D>
class AgentArrays {
 public:
  void resize(long size) {
    for (auto& axis : axes_) axis.resize(static_cast<std::size_t>(size + agent_padding));
  }
  double* operator[](int axis) { return axes_[axis].data(); }
  const double* operator[](int axis) const { return axes_[axis].data(); }

 private:
  std::array<std::vector<double>, D> axes_;
};

template <int D>
Cloud<D> cloud_of(const AgentArrays<D>& x, const AgentArrays<D>& w, long size) {
  Cloud<D> cloud;
  for (int d = 0; d < D; ++d) {
    cloud.x[d] = x[d];
    cloud.w[d] = w[d];
  }
  cloud.size = size;
  return cloud;
}

/// Memory for the sums over pairs.
template <int D>
struct SumArrays {
  AgentArrays<D> gradient;
  AgentArrays<D> rate;
  AgentArrays<1> coincident;

  void resize(long size) {
    gradient.resize(size);
    rate.resize(size);
    coincident.resize(size);
  }
  PairSums<D> sums() {
    PairSums<D> sums;
    for (int d = 0; d < D; ++d) {
      sums.gradient[d] = gradient[d];
      sums.rate[d] = rate[d];
    }
    sums.coincident = coincident[0];
    return sums;
  }
};

/// Returns the sum of `count` numbers, in a fixed order.
inline double sum_of(const double* values, long count) {
  constexpr long run = 1024;
  double total = 0;
  for (long begin = 0; begin < count; begin += run) {
    double part = 0;
    for (long i = begin; i < std::min(begin + run, count); ++i) part += values[i];
    total += part;
  }
  return total;
}

}  // namespace kalaba::swarm
