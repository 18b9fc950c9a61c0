#include <gtest/gtest.h>

#include "scenarios/failure.hpp"

namespace kalaba {
namespace {

Scenario scenario_of(const std::string& text) {
  static const std::vector<System> systems = fake_systems();
  return load_scenario_text("system = \"pendulum\"\n" + text, "s.toml", {}, systems);
}

TEST(SensitivityKeys, AreRead) {
  EXPECT_TRUE(scenario_of("").system->info.sensitivities.empty());
  const Scenario scenario = scenario_of("[sensitivities]\nof = ['parameters.L', 'initial.p_x']\n");
  const std::vector<Variable>& along = scenario.system->info.sensitivities;
  ASSERT_EQ(along.size(), 2U);
  EXPECT_EQ(along[0].name, "parameters.L");
  EXPECT_EQ(along[1].name, "initial.p_x");
  EXPECT_TRUE(scenario.options.fields.has(Field::q_sensitivity));
  EXPECT_TRUE(scenario.options.fields.has(Field::w_sensitivity));
}

TEST(SensitivityKeys, BringTheirFieldsWhereNoneIsNamed) {
  const std::string of = "[sensitivities]\nof = ['parameters.L']\n[output]\nfields = ";
  EXPECT_TRUE(scenario_of(of + "['q']").options.fields.has(Field::w_sensitivity));
  EXPECT_FALSE(scenario_of(of + "['q', 'q_sensitivity']").options.fields.has(Field::w_sensitivity));
}

TEST(SensitivityKeys, AreWrittenAsTheyAreRead) {
  static const std::vector<System> systems = fake_systems();
  const Scenario scenario = scenario_of("[sensitivities]\nof = ['initial.z', 'parameters.L']\n");
  const Scenario again = load_scenario_text(scenario.text, "again", {}, systems);
  EXPECT_EQ(again.text, scenario.text);
  EXPECT_EQ(again.system->info.sensitivities[1].name, "parameters.L");
}

struct Case {
  const char* text;
  const char* message;
};

TEST(SensitivityKeys, AreRefusedWithTheirPlace) {
  const std::vector<Case> cases = {
      {"of = []", "s.toml:3: sensitivities.of: expected a variable such as \"parameters."},
      {"of = ['parameters.l']", "unknown variable \"parameters.l\"; did you mean parameters.L?"},
      {"of = ['L']", "unknown variable \"L\"; did you mean parameters.L?"},
      {"of = ['structure.links']", "expected a parameter or a start, found \"structure.links\""},
      {"of = ['initial.x', 'initial.x']", "expected each once, found \"initial.x\" twice"},
      {"of = ['a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a']",
       "expected at most 16 variables, found 17"},
      {"", "s.toml:2: sensitivities: of is missing; add of = "},
      {"off = ['initial.x']", "sensitivities.off: unknown key; did you mean sensitivities.of?"},
      {"of = ['initial.x']\n[solver]\nbackend = 'cuda'", "are not for a GPU yet, found solver.backend = \"cuda\""},
      {"of = ['initial.x']\n[[events]]\nname = 'low'\nwhen = 'z < 0'",
       "do not go with the event low: a condition has no derivatives"},
      {"of = ['initial.x']\n[[events]]\nname = 'low'\nwhen = 'lambda_1'",
       "do not go with the event low: multipliers are not differentiated yet"},
      {"of = ['initial.x']\n[initial]\nx = 0.5\nproject = 'keep_varied'",
       "sensitivities go with initial.project = true or false, found \"keep_varied\""},
      {"of = ['initial.x']\n[initial]\nx = 'z / 2'",
       "do not go through formulas of members yet, found that of initial.x"},
  };
  const ScratchFolder folder;
  for (const Case& each : cases) {
    const std::string file =
        folder.write("s.toml", std::string("system = \"pendulum\"\n[sensitivities]\n") + each.text);
    const Failure failure = failure_of(folder, file);
    EXPECT_EQ(failure.code, ExitCode::bad_input);
    EXPECT_NE(failure.message.find(each.message), std::string::npos) << failure.message;
  }
  EXPECT_NE(first_message(folder, folder.write("f.toml", "system = \"pendulum\"\n[output]\nfields = ['q_sensitivity']"))
                .find("states no q_sensitivity"),
            std::string::npos);
}

}  // namespace
}  // namespace kalaba
