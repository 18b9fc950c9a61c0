#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "output/base/sink.hpp"
#include "output_data/temporary_folder.hpp"
#include "report/data/sensitivity.hpp"
#include "scenario/sampling/design_facts.hpp"
#include "scenario/scenario.hpp"

namespace kalaba {

/// Bead on a straight wire of slope c: from rest at 0, x(t) = -g t^2/2 c/(1 + c^2).
inline const std::string straight_wire = R"(
[model]
name = "incline"
lagrangian = "m*(x_dot^2 + y_dot^2)/2 - m*g*y"
[model.parameters]
m = "1 kg"
c = "1 1"
g = "9.81 m/s^2"
[model.coordinates]
x = "m"
y = "m"
[model.holonomic]
wire = "y = c*x"
[model.start]
x = 0.0
y = 0.0
[time]
end = 1.0
dt = 0.5
save_every = "final"
)";

/// Dependence of the outputs on the inputs in the report of a scenario's run.
class ReportedRun : public testing::Test {
 protected:
  Sensitivity of(const std::string& text, const std::vector<std::string>& overrides, RunPart part = {}) {
    Scenario scenario = load_scenario_text(text, "model.toml", overrides);
    scenario.options.backend = Backend::reference;
    Provenance provenance = {scenario.text, scenario.seed, "1", "c"};
    const DesignFacts facts = design_facts(scenario.text);
    provenance.varied_starts = facts.varied_starts;
    provenance.saltelli = facts.saltelli;
    const auto sink = open_sink(path_, provenance);
    Sink* const sinks[] = {sink.get()};
    run(*scenario.system, *scenario.source, scenario.options, sinks, {}, {}, std::move(part));
    const Archive archive(path_);
    const auto reader = open_reader(path_);
    return sensitivity_of(MemberSample(archive, *reader), provenance.varied_starts);
  }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "run.nc";
};

}  // namespace kalaba
