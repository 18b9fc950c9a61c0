// Warnings must not depend on units: systems of the catalogue with lengths, masses and times scaled by powers of two
// near 1e6 and 1e-6 give the same scaled numbers, and the same text in their summaries.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <regex>

#include "formula/graph/unit.hpp"
#include "kalaba/ensemble.hpp"
#include "report/text/summary.hpp"

namespace kalaba {
namespace {

using formula::Unit;

/// Powers of two by which kg, m and s are scaled.
struct Scaling {
  int mass;
  int length;
  int time;
};

/// Power of two of a unit; none where it has no such.
std::optional<int> power_of(const std::string& unit, const Scaling& by) {
  const Unit of = formula::parse_unit(unit);
  for (int kg = -3; kg <= 3; ++kg) {
    for (int m = -6; m <= 6; ++m) {
      for (int s = -6; s <= 6; ++s) {
        const Unit tried = Unit::base(0).raised({kg, 1}) * Unit::base(1).raised({m, 1}) * Unit::base(2).raised({s, 1});
        if (tried == of) return kg * by.mass + m * by.length + s * by.time;
      }
    }
  }
  return std::nullopt;
}

double scaled(double value, const std::string& unit, const Scaling& by) {
  const std::optional<int> power = power_of(unit, by);
  EXPECT_TRUE(power) << unit;
  return std::ldexp(value, power.value_or(0));
}

constexpr double rounding = 1e-10;  ///< of the largest number; the reference's roots do not scale to the bit

struct Motion {
  std::vector<double> numbers;  ///< coordinates, then rates, at the end, scaled back
  std::vector<Status> status;
  std::string words;  ///< of the summary, without its numbers
};

std::string words_of(const std::string& text) {
  std::string words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    at = end == std::string::npos ? text.size() : end + 1;
    // Times, speeds and the description of the machine.
    if (line.starts_with("  steps") || line.starts_with("  device") || line.starts_with("  code")) continue;
    words += std::regex_replace(line, std::regex("-?[0-9]+([.,][0-9]+)*(e[+-]?[0-9]+)?"), "#") + "\n";
  }
  return words;
}

Motion run_scaled(const System& system, const Scaling& by) {
  const SystemInfo& info = system.info;
  Ensemble ensemble(system, 2);
  for (const Variable& each : info.parameters) {
    for (double& value : ensemble.parameter(each.name)) value = scaled(each.value, each.unit, by);
  }
  for (const auto* variables : {&info.coordinates, &info.rates}) {
    for (const Variable& each : *variables) {
      const std::span<double> values = ensemble.initial(each.name);
      values[0] = scaled(each.value, each.unit, by);
      // The second member starts slightly off its constraints, with rates that drift more.
      values[1] = scaled(each.value * (1 + 1.0 / 256), each.unit, by);
    }
  }
  Options options = default_options(system);
  options.compile = Compile::never;
  options.backend = Backend::cpu;
  if (info.servo || !system.interpreted) options.backend = Backend::reference;
  options.threads = 1;
  // Long enough for energies to drift. The number of corrections near singular positions depends on the units for long
  // steps, because corrections are measured relative to the largest coordinate, whether length or angle.
  options.time.dt *= info.coordinates.size() > 12 ? 8 : 40;
  const double span = options.time.dt * 40;
  options.time = {std::ldexp(options.time.start, by.time), std::ldexp(options.time.start + span, by.time),
                  std::ldexp(options.time.dt, by.time), 10};
  options.method.stabilization.rate_gain = std::ldexp(options.method.stabilization.rate_gain, -by.time);
  options.method.stabilization.position_gain = std::ldexp(options.method.stabilization.position_gain, -2 * by.time);
  options.method.pseudo_inverse = PseudoInverse::svd;
  const Result result = run(ensemble, options);
  Motion found;
  for (const auto* variables : {&info.coordinates, &info.rates}) {
    for (const Variable& each : *variables) {
      for (const double value : result.values(each.name, result.times().size() - 1)) {
        found.numbers.push_back(std::ldexp(value, -power_of(each.unit, by).value_or(0)));
      }
    }
  }
  found.status = result.status();
  found.words = words_of(summary_text(info, options, result.summary, ""));
  return found;
}

class Scaled : public testing::TestWithParam<const System*> {};

TEST_P(Scaled, MovesByTheSameNumbersAndWords) {
  const System& system = *GetParam();
  const Motion expected = run_scaled(system, {0, 0, 0});
  for (const Scaling& by : {Scaling{0, 20, 0}, Scaling{0, -20, 0}, Scaling{20, 0, 0}, Scaling{-20, 0, 0},
                            Scaling{0, 0, 20}, Scaling{0, 0, -20}, Scaling{20, -20, 20}}) {
    const Motion found = run_scaled(system, by);
    const std::string how = fmt::format("kg {}, m {}, s {}", by.mass, by.length, by.time);
    EXPECT_EQ(found.status, expected.status) << how;
    EXPECT_EQ(found.words, expected.words) << how;
    ASSERT_EQ(found.numbers.size(), expected.numbers.size());
    double size = 0;
    for (const double each : expected.numbers) size = std::max(size, std::abs(each));
    for (std::size_t i = 0; i < found.numbers.size(); ++i) {
      EXPECT_NEAR(found.numbers[i], expected.numbers[i], rounding * size) << how << ", number " << i;
    }
  }
}

/// Systems whose formulas have numbers with units, as published, cannot be scaled: x + y^2 + z = const, a speed of so
/// many m/s, a validity limit.
bool has_own_units(const System& system) {
  const std::vector<std::string> names = {"andrews_squeezer",      "nonholonomic_hamiltonian_particle",
                                          "scleronomic_particle",  "rheonomic_particle",
                                          "nonholonomic_particle", "logarithmic_spiral",
                                          "swarm_matrix",          "draggy_particle",
                                          "prescribed_speed",      "car_axis",
                                          "appell_particle",       "appell_hamel"};
  return std::ranges::count(names, system.info.name) > 0;
}

std::vector<const System*> scalable() {
  std::vector<const System*> systems;
  for (const System& each : catalogue()) {
    const bool is_small = each.info.coordinates.size() <= 16;
    if (each.info.agents == 0 && is_small && !has_own_units(each)) systems.push_back(&each);
  }
  return systems;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Scaled, testing::ValuesIn(scalable()), [](const auto& each) {
  std::string name = each.param->info.name;
  for (const auto& [key, value] : each.param->info.structure) name += "_" + std::to_string(value);
  return name;
});

}  // namespace
}  // namespace kalaba
