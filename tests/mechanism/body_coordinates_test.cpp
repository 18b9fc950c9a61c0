// Mechanisms in joint coordinates against the same bodies with a free joint each, which all joints constrain: poses
// agree.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "kalaba/ensemble.hpp"
#include "kalaba/run.hpp"
#include "mechanism/mechanism_cases.hpp"
#include "scenario/scenario.hpp"

namespace kalaba {
namespace {

const std::vector<System> none;

using Values = std::map<std::string, double>;

/// Poses, coordinates and energy at the first time and at the end.
std::pair<Values, Values> run_of(const std::string& text) {
  const Scenario scenario = load_scenario_text(text, "model.toml", {}, none);
  Options options = scenario.options;
  options.backend = Backend::reference;
  options.method.integrator = Integrator::dop853;
  options.method.relative_tolerance = 1e-13;
  options.method.absolute_tolerance = 1e-14;
  options.time.end = 0.5;
  options.time.dt = 1e-2;
  options.time.save_every = 50;
  options.fields = {Field::q, Field::energy, Field::invariants};
  const Result result = run(Ensemble(*scenario.system, 1), options);
  EXPECT_EQ(result.summary.failed(), 0) << text;
  std::pair<Values, Values> found;
  std::vector<std::string> names = {"energy"};
  for (const Variable& each : scenario.system->info.invariants) names.push_back(each.name);
  for (const Variable& each : scenario.system->info.coordinates) names.push_back(each.name);
  for (const std::string& name : names) {
    found.first[name] = result.values(name, 0)[0];
    found.second[name] = result.values(name, result.times().size() - 1)[0];
  }
  return found;
}

class Forms : public testing::TestWithParam<Case> {};

TEST_P(Forms, MoveAlike) {
  const Case& each = GetParam();
  const auto [first, last] = run_of(text_of(each, each.root(), each.start, each.coupling));
  std::string free_joints;
  std::string start;
  for (const std::string& body : each.bodies) {
    const std::string name = name_of(body);
    free_joints += "f_" + name + " = { child = \"" + name + "\", type = \"free\" }\n";
    for (const char* part : {"x", "y", "z", "e0", "e1", "e2", "e3"}) {
      char line[64];
      std::snprintf(line, sizeof line, "f_%s_%s = %.17g\n", name.c_str(), part, first.at(name + '.' + part));
      start += line;
    }
  }
  const auto [first_of_bodies, last_of_bodies] = run_of(text_of(each, free_joints, start, each.coupling_of_bodies));
  double moved = 0;
  for (const auto& [name, value] : last) {
    if (name != "energy" && name.find('.') == std::string::npos) continue;
    const double scale = name == "energy" ? 1 + std::abs(value) : 1;
    EXPECT_NEAR(last_of_bodies.at(name), value, 1e-10 * scale) << name;
    if (name != "energy") moved = std::max(moved, std::abs(value - first.at(name)));
  }
  EXPECT_GT(moved, 0.02);
  EXPECT_NEAR(last.at("energy"), first.at("energy"), 1e-10 * (1 + std::abs(first.at("energy"))));
}

/// The text of the joints with coordinates = "body".
TEST_P(Forms, MoveAlikeInBodyCoordinates) {
  const Case& each = GetParam();
  const std::string root = each.root();
  const auto [first, last] = run_of(text_of(each, root, each.start, each.coupling));
  std::string start;  // at which the loops are closed
  for (const auto& [name, value] : first) {
    if (name == "energy" || name.find('.') != std::string::npos) continue;
    char line[64];
    std::snprintf(line, sizeof line, "%s = %.17g\n", name.c_str(), value);
    start += line;
  }
  const std::string text = text_of(each, root, start, each.coupling, "coordinates = \"body\"\n");
  const auto [first_of_bodies, last_of_bodies] = run_of(text);
  int compared = 0;
  for (const auto& [name, value] : last) {
    const auto found = last_of_bodies.find(name);
    if (found == last_of_bodies.end()) continue;
    ++compared;
    EXPECT_NEAR(found->second, value, 1e-10 * (name == "energy" ? 1 + std::abs(value) : 1)) << name;
    EXPECT_NEAR(first_of_bodies.at(name), first.at(name), 1e-12) << name;
  }
  EXPECT_GE(compared, 7 * static_cast<int>(each.bodies.size()) + 1);
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, Forms, testing::ValuesIn(mechanism_cases()),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace kalaba
