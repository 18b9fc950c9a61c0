#include "backend/pack_order.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace kalaba {

void PackOrder::reset() {
  steps_.clear();
  order_.clear();
}

void PackOrder::begin(const Block& block) {
  before_.resize(static_cast<std::size_t>(block.members));
  for (std::size_t i = 0; i < before_.size(); ++i) before_[i] = block.accepted[i] + block.rejected[i];
}

void PackOrder::end(const Block& block, long grid_steps) {
  grid_steps_ = std::max(grid_steps, 1L);
  steps_.resize(before_.size());
  for (std::size_t i = 0; i < steps_.size(); ++i) steps_[i] = block.accepted[i] + block.rejected[i] - before_[i];
}

void PackOrder::choose(long grid_steps) {
  constexpr double least_steps = 16;  // of a member and call: below them, copies take a good part of the time
  constexpr double least_gain = 1.1;
  order_.clear();
  if (steps_.empty()) return;
  const auto lanes = static_cast<std::size_t>(lanes_);
  const auto slowest = [&](auto steps_of) {
    double sum = 0;
    for (std::size_t first = 0; first < steps_.size(); first += lanes) {
      double most = 0;
      for (std::size_t i = first; i < std::min(first + lanes, steps_.size()); ++i) most = std::max(most, steps_of(i));
      sum += most;
    }
    return sum;
  };
  const double ahead = static_cast<double>(grid_steps) / static_cast<double>(grid_steps_);
  const double total = std::accumulate(steps_.begin(), steps_.end(), 0.0) * ahead;
  if (total < least_steps * static_cast<double>(steps_.size())) return;
  std::vector<long> order(steps_.size());
  std::iota(order.begin(), order.end(), 0L);
  std::ranges::stable_sort(
      order, [&](long a, long b) { return steps_[static_cast<std::size_t>(a)] > steps_[static_cast<std::size_t>(b)]; });
  const double own = slowest([&](std::size_t i) { return steps_[i]; });
  const double sorted = slowest([&](std::size_t i) { return steps_[static_cast<std::size_t>(order[i])]; });
  if (own < least_gain * sorted) return;
  order.resize((order.size() + lanes - 1) / lanes * lanes, order.back());
  order_ = std::move(order);
}

PackCopy::PackCopy(const MemberRows& block, const RowCounts& counts, int lanes)
    : block_(block),
      counts_(counts),
      lanes_(lanes),
      numbers_(static_cast<std::size_t>((std::accumulate(counts.begin(), counts.end(), 0L) + 1) * lanes)),
      status_(static_cast<std::size_t>(lanes)) {
  rows_.stride = lanes;
  rows_.status = status_.data();
  rows_.failure_time = numbers_.data();
  double* next = numbers_.data() + lanes;
  for (std::size_t part = 0; part < counts.size(); ++part) {
    rows_.parts[part] = next;
    next += counts[part] * lanes;
  }
}

/// Calls copy(a number of the block, the number here, lane).
template <class Copy>
void PackCopy::for_each_number(const long* members, const Copy& copy) {
  for (int lane = 0; lane < lanes_; ++lane) copy(block_.failure_time[members[lane]], rows_.failure_time[lane], lane);
  for (std::size_t part = 0; part < counts_.size(); ++part) {
    for (long row = 0; row < counts_[part]; ++row) {
      double* const there = block_.parts[part] + row * block_.stride;
      double* const here = rows_.parts[part] + row * lanes_;
      for (int lane = 0; lane < lanes_; ++lane) copy(there[members[lane]], here[lane], lane);
    }
  }
}

void PackCopy::load(const long* members) {
  for (int lane = 0; lane < lanes_; ++lane) rows_.status[lane] = block_.status[members[lane]];
  for_each_number(members, [](const double& there, double& here, int) { here = there; });
}

void PackCopy::store(const long* members) {
  for (int lane = 0; lane < lanes_; ++lane) block_.status[members[lane]] = rows_.status[lane];
  for_each_number(members, [](double& there, const double& here, int) { there = here; });
}

}  // namespace kalaba
