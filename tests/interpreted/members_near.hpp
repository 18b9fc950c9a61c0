#pragma once

#include <random>
#include <vector>

#include "kalaba/block.hpp"
#include "kalaba/system.hpp"

namespace kalaba::formula {

/// Members near the default start, all different.
inline Block members_near(const SystemInfo& info, long members, int events = 0) {
  const auto count = [](const std::vector<Variable>& of) { return static_cast<int>(of.size()); };
  Block block(count(info.parameters), count(info.coordinates), count(info.rates), members, Block::alignment, events);
  block.assign(0, members);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> near(0.9, 1.1);
  for (long k = 0; k < members; ++k) {
    const auto at = static_cast<std::size_t>(k);
    for (int i = 0; i < count(info.parameters); ++i) {
      block.parameter(i)[at] = info.parameters[static_cast<std::size_t>(i)].value * near(random);
    }
    for (int i = 0; i < count(info.coordinates); ++i) {
      block.coordinate(i)[at] = info.coordinates[static_cast<std::size_t>(i)].value * near(random);
    }
    for (int i = 0; i < count(info.rates); ++i) {
      block.rate(i)[at] = info.rates[static_cast<std::size_t>(i)].value * near(random);
    }
  }
  return block;
}

}  // namespace kalaba::formula
