#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "kalaba/ensemble.hpp"
#include "scenario/scenario.hpp"
#include "support/error_of.hpp"

namespace kalaba::hybrid {

/// Backend, integrator and execution of a run.
struct Way {
  const char* backend;
  const char* integrator;
  const char* compile = "never";
};

inline std::vector<Way> all_ways() {
  std::vector<Way> ways;
  for (const char* integrator : {"rk4", "dopri5", "dop853"}) {
    ways.push_back({"cpu", integrator, "never"});
    ways.push_back({"cpu", integrator, "always"});
    ways.push_back({"reference", integrator, "auto"});
  }
  ways.push_back({"cpu", "taylor", "always"});
  ways.push_back({"cpu", "rodas5p", "always"});
  ways.push_back({"reference", "rodas5p", "auto"});
  return ways;
}
/// All ways but compiled models by other integrators than this: each takes seconds to compile.
inline std::vector<Way> ways_compiled_by(const std::string& integrator) {
  std::vector<Way> ways = all_ways();
  std::erase_if(
      ways, [&](const Way& each) { return std::string(each.compile) == "always" && each.integrator != integrator; });
  return ways;
}
inline std::string name_of(const Way& way) {
  return std::string(way.backend) + "_" + way.integrator + "_" + way.compile;
}
/// Factor of tolerances that are rounding errors: a step of the Rosenbrock method sums stages a hundred times as large.
inline double rounding_of(const Way& way) { return std::string(way.integrator) == "rodas5p" ? 20 : 1; }
inline bool adapts(const Way& way) { return std::string(way.integrator) != "rk4"; }

/// Overrides of a scenario for a run in this way.
inline std::vector<std::string> overrides_of(const Way& way, std::vector<std::string> more = {}) {
  std::vector<std::string> all = {std::string("solver.backend=") + way.backend,
                                  std::string("solver.integrator=") + way.integrator, "solver.threads=1"};
  if (std::string(way.backend) == "cpu") all.push_back(std::string("solver.compile=") + way.compile);
  if (adapts(way)) {
    all.emplace_back("solver.relative_tolerance=1e-12");
    all.emplace_back("solver.absolute_tolerance=1e-13");
  }
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

inline Result run_text(const std::string& text, const std::vector<std::string>& overrides) {
  const Scenario scenario = load_scenario_text(text, "hybrid.toml", overrides);
  return run(evenly_chosen(*scenario.system, *scenario.source, scenario.members), scenario.options);
}
inline Result run_text(const std::string& text, const Way& way, std::vector<std::string> more = {}) {
  return run_text(text, overrides_of(way, std::move(more)));
}

/// A ball that falls on a floor, in two parts: keys of its start may stand between them.
inline const std::string ball_model = R"toml([model]
name = "ball"
lagrangian = "m*y_dot^2/2 - m*g*y"
[model.parameters]
m = "2 kg"
g = "9.81 m/s^2"
R = "0.1 m"
e = 0.7
[model.coordinates]
y = "m"
[model.start]
y = 1
)toml";
inline const std::string ball_floor = R"toml([model.unilateral]
floor = { gap = "y - R", restitution = "e" }
)toml";

/// Value of a column at the last saved time.
inline double last_value(const Result& result, const char* name, std::size_t member = 0) {
  return result.values(name, result.times().size() - 1)[member];
}

/// Message of the error with which a scenario is refused, with this exit code; "" if it is not.
inline std::string refusal_of(const std::string& text, const std::vector<std::string>& overrides = {},
                              ExitCode code = ExitCode::bad_input) {
  return test::message_of([&] { run_text(text, overrides); }, code);
}

inline bool has_same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace kalaba::hybrid
