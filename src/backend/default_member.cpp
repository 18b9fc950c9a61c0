#include "backend/default_member.hpp"

#include <algorithm>

namespace kalaba {

Block default_member(const SystemInfo& info) {
  const auto count = [](const std::vector<Variable>& variables) { return static_cast<int>(variables.size()); };
  Block block(count(info.parameters), count(info.coordinates), count(info.rates), 1);
  block.assign(0, 1);
  const auto fill = [](const std::vector<Variable>& variables, const auto& row) {
    for (std::size_t i = 0; i < variables.size(); ++i) std::ranges::fill(row(static_cast<int>(i)), variables[i].value);
  };
  fill(info.parameters, [&](int i) { return block.parameter(i); });
  fill(info.coordinates, [&](int i) { return block.coordinate(i); });
  fill(info.rates, [&](int i) { return block.rate(i); });
  return block;
}

}  // namespace kalaba
