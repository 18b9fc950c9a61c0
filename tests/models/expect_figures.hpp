#pragma once

#include <string>

#include "kalaba/ensemble.hpp"
#include "models/golden.hpp"

namespace kalaba {

inline const auto models_with_figures = testing::Values("appell_particle", "bead", "chain", "chaplygin_sleigh",
                                                        "chaplygin_sleigh_energy", "rough_ring", "spherical_pendulum");

/// Runs a text model with default options on a backend, and checks its figures at saved times.
inline void expect_figures(const std::string& name, Backend backend) {
  static const std::vector<System> none;
  const Scenario scenario = load_scenario((model_folder() / (name + ".toml")).string(), {}, none);
  const SystemInfo& info = scenario.system->info;
  Options options = scenario.options;
  options.backend = backend;
  const Result result = run(Ensemble(*scenario.system, 1), options);
  ASSERT_EQ(result.status().front(), Status::ok);
  for (const ExpectedFigure& figure : info.figures) {
    ASSERT_NEAR(result.times().back(), figure.time, 1e-9);
    const double value = result.values(figure.name, result.times().size() - 1).front();
    EXPECT_NEAR(value, figure.value, figure.tolerance) << figure.name;
  }
}

}  // namespace kalaba
