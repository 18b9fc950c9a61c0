#pragma once

#include <span>
#include <string>
#include <vector>

#include "kalaba/block.hpp"
#include "scenario/scenario.hpp"
#include "scenarios/fake_systems.hpp"

namespace kalaba::test {

inline constexpr int m = 0, L = 1, g = 2;  // parameters of the fake pendulum
inline constexpr int x = 0, z = 1;         // its coordinates
inline constexpr int p_x = 0, p_z = 1;     // its rates
inline constexpr long sample = 100'000;    // members of a statistical test
inline const std::string many = "ensemble.members=100000";

inline const std::vector<System>& systems() {
  static const std::vector<System> fakes = fake_systems();
  return fakes;
}

inline Scenario pendulum(const std::vector<std::string>& overrides) {
  return load_scenario("pendulum", overrides, systems());
}

/// Members first … first + count - 1 of a pendulum scenario.
inline Block members_of(const Scenario& scenario, long first, long count) {
  Block block(3, 2, 2, count);
  block.assign(first, count);
  scenario.source->fill(block);
  return block;
}
inline Block members_of(const Scenario& scenario) { return members_of(scenario, 0, scenario.members); }

inline std::vector<double> copy_of(std::span<const double> row) { return {row.begin(), row.end()}; }

inline std::vector<double> lengths(const std::vector<std::string>& overrides) {
  Block block = members_of(pendulum(overrides));
  return copy_of(block.parameter(L));
}

}  // namespace kalaba::test
