#include <algorithm>
#include <cmath>

#include "kalaba/ensemble.hpp"
#include "models/golden.hpp"
#include "scenario/model/model_template.hpp"
#include "scenarios/scratch_folder.hpp"
#include "support/error_of.hpp"

namespace kalaba {
namespace {

const std::vector<System> none;

std::string example(const std::string& name) { return read_all(model_folder() / (name + ".toml")); }

Scenario load(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return load_scenario_text(text, "model.toml", overrides, none);
}

std::vector<double> final_state(const Scenario& scenario) {
  Options options = scenario.options;
  options.backend = Backend::reference;
  options.time.save_every = 0;
  const Result result = run(Ensemble(*scenario.system, 1), options);
  std::vector<double> state;
  for (const auto* variables : {&scenario.system->info.coordinates, &scenario.system->info.rates}) {
    for (const Variable& each : *variables) state.push_back(result.values(each.name, result.times().size() - 1)[0]);
  }
  return state;
}

class ModelScenario : public testing::TestWithParam<const char*> {};

TEST_P(ModelScenario, TheEffectiveTextHoldsTheModelAndIsItsOwnEffectiveText) {
  const Scenario scenario = load(example(GetParam()));
  EXPECT_NE(scenario.text.find("\n[model]\n"), std::string::npos);
  const Scenario again = load(scenario.text);
  EXPECT_EQ(again.text, scenario.text);
}

TEST_P(ModelScenario, TheEffectiveTextGivesTheSameBits) {
  const std::vector<std::string> overrides = {"time.end=0.1", "time.dt=1e-3", "initial.project=true"};
  const Scenario scenario = load(example(GetParam()), overrides);
  EXPECT_EQ(final_state(load(scenario.text)), final_state(scenario));
}

INSTANTIATE_TEST_SUITE_P(Models, ModelScenario,
                         testing::Values("appell_particle", "bead", "chain", "chaplygin_sleigh",
                                         "chaplygin_sleigh_energy", "rough_ring", "spherical_pendulum"),
                         [](const auto& each) { return std::string(each.param); });

TEST(ModelScenarios, ASystemMayBeAFileBesideTheScenario) {
  const ScratchFolder folder;
  folder.write("bead.toml", example("bead"));
  const std::string path = folder.write("sweep.toml",
                                        "system = \"bead.toml\"\n"
                                        "[ensemble]\nmembers = 8\n"
                                        "[parameters]\nc = { uniform = [0.3, 0.7] }\n"
                                        "[initial]\nx = 0.5\n"
                                        "[time]\nend = 0.5\n");
  const Scenario scenario = load_scenario(path, {}, none);
  EXPECT_EQ(scenario.members, 8);
  EXPECT_EQ(scenario.options.time.end, 0.5);
  EXPECT_EQ(scenario.options.time.dt, 1e-3);
  EXPECT_EQ(load(scenario.text).text, scenario.text);  // without the file
}

TEST(ModelScenarios, AFileOfAModelHasNothingElse) {
  const ScratchFolder folder;
  folder.write("bead.toml", example("bead") + "\n[ensemble]\nmembers = 3\n");
  const std::string path = folder.write("sweep.toml", "system = \"bead.toml\"\n");
  const Error error = test::error_of([&] { load_scenario(path, {}, none); });
  const std::string message = folder.shorten(error.what());
  EXPECT_NE(message.find("names this file as a model, which has [model] alone; found ensemble"), std::string::npos)
      << message;
}

TEST(ModelScenarios, AMissingFileIsAFileError) {
  const ScratchFolder folder;
  const std::string path = folder.write("sweep.toml", "system = \"bell.toml\"\n");
  const Error error = test::error_of([&] { load_scenario(path, {}, none); });
  EXPECT_EQ(error.code(), ExitCode::file_error) << error.what();
}

TEST(ModelScenarios, CountsComeFromTheScenario) {
  const Scenario scenario = load(example("chain"), {"structure.links=3"});
  std::vector<std::string> names;
  for (const Variable& each : scenario.system->info.coordinates) names.push_back(each.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x1", "y1", "x2", "y2", "x3", "y3"}));
  EXPECT_EQ(scenario.system->info.rates[2].name, "x2_dot");
  EXPECT_EQ(scenario.system->info.rates[2].unit, "m/s");
  EXPECT_EQ(scenario.system->info.constraints[2].name, "rod3");
  EXPECT_EQ(scenario.system->info.constraints[2].unit, "m^2");
  EXPECT_EQ(scenario.system->info.structure.at("links"), 3);
}

TEST(ModelScenarios, TheChainIsTheCatalogues) {
  const Scenario text = load(example("chain"), {"time.end=1"});
  Scenario built = load_scenario("chain", {"structure.links=4", "time.end=1"});
  const std::vector<double> ours = final_state(text);
  const std::vector<double> theirs = final_state(built);
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(ours[i], theirs[i], 1e-12) << i;
}

TEST(ModelScenarios, EventsOfTheModelAreDefaults) {
  const std::string text = example("bead") + "\n[[model.events]]\nname = \"low\"\nwhen = \"x\"\naction = \"record\"\n";
  const Scenario scenario = load(text);
  ASSERT_EQ(scenario.options.events.size(), 1U);
  EXPECT_EQ(scenario.options.watch.count, 1);
  EXPECT_EQ(load(scenario.text).text, scenario.text);
  const Scenario without = load(text, {"events=[]"});
  EXPECT_TRUE(without.options.events.empty());
  EXPECT_TRUE(load(without.text).options.events.empty());
}

TEST(ModelScenarios, UnitsThatAreNotStatedAreFound) {
  const Scenario scenario = load(example("spherical_pendulum"));
  EXPECT_EQ(scenario.system->info.constraints[0].unit, "kg m^2");
  const Scenario derived = load(
      "[model]\nname = \"drop\"\nhamiltonian = \"p_y^2/(2*m) + m*g*y\"\n"
      "[model.parameters]\nm = \"2 kg\"\ng = 9.81\n[model.coordinates]\ny = \"m\"\n");
  EXPECT_EQ(derived.system->info.rates[0].unit, "kg m/s");
  EXPECT_EQ(derived.system->info.parameters[1].unit, "m/s^2");
}

TEST(ModelScenarios, ATextWithoutUnitsIsNotBothered) {
  const Scenario scenario = load(
      "[model]\nname = \"odd\"\nlagrangian = \"(x_dot^2 + 3)*x_dot^0*(1 + x) + x_dot^2 + t\"\n"
      "[model.coordinates]\nx = {}\n");
  EXPECT_EQ(scenario.system->info.coordinates[0].unit, "1");
}

/// A driven pendulum on a cart: x'' = (g sin(theta) - L theta'')/cos(theta).
TEST(ModelScenarios, AServoConstraintIsNotProjectedOn) {
  std::string text = read_all(bad_folder() / "actuation_projection.toml");
  const std::string asked = "stabilization = \"projection\"\n";
  text.erase(text.find(asked), asked.size());
  const Scenario scenario = load(text, {"time.end=3"});
  EXPECT_EQ(scenario.options.method.stabilization.kind, Stabilization::Kind::none);
  EXPECT_FALSE(scenario.options.project_start);
  const std::vector<double> state = final_state(scenario);
  EXPECT_NEAR(state[1], 0.1 * std::sin(3.0), 1e-10);
  EXPECT_NEAR(state[0], 2.95423461414, 1e-9);
}

TEST(ModelScenarios, TheTemplateIsAcceptedAsItStands) {
  const Scenario scenario = load(model_template());
  EXPECT_TRUE(scenario.notes.empty());
  EXPECT_EQ(scenario.options.events.size(), 1U);
}

TEST(ModelScenarios, TheModelsOfTheDocumentationRun) {
  const std::string docs = read_all(std::filesystem::path(KALABA_SOURCE_DIR) / "docs/models.md");
  int count = 0;
  for (std::size_t at = docs.find("```toml\n[model]\n"); at != std::string::npos;
       at = docs.find("```toml\n[model]\n", at + 1)) {
    const std::size_t begin = at + 8;
    const Scenario scenario = load(docs.substr(begin, docs.find("```", begin) - begin), {"time.end=0.5"});
    EXPECT_EQ(scenario.system->info.name.empty(), false);
    Options options = scenario.options;
    options.backend = Backend::reference;
    const Result result = run(Ensemble(*scenario.system, 1), options);
    EXPECT_EQ(result.status().front(), Status::ok) << scenario.system->info.name;
    EXPECT_LT(result.values("violation", result.times().size() - 1)[0], 1e-9) << scenario.system->info.name;
    ++count;
  }
  EXPECT_EQ(count, 3);
}

}  // namespace
}  // namespace kalaba
