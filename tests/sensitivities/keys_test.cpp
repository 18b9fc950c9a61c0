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

TEST(SensitivityKeys, TakeEveryStart) {
  const Scenario scenario = scenario_of("[sensitivities]\nof = ['parameters.L', 'initial.*']\n");
  const SystemInfo& info = scenario.system->info;
  ASSERT_EQ(info.sensitivities.size(), 1 + info.coordinates.size() + info.rates.size());
  EXPECT_EQ(info.sensitivities[1].name, "initial." + info.coordinates[0].name);
  EXPECT_EQ(info.sensitivities.back().name, "initial." + info.rates.back().name);
}

TEST(SensitivityKeys, OfWhatIsObservedAreFields) {
  const std::string of = "[sensitivities]\nof = ['parameters.L']\n[output]\nfields = ";
  const Scenario scenario = scenario_of(of + "['q', 'energy_sensitivity']");
  EXPECT_TRUE(scenario.options.fields.has(Field::energy_sensitivity));
  EXPECT_FALSE(scenario.options.fields.has(Field::q_sensitivity));
  EXPECT_FALSE(scenario_of(of + "['q']").options.fields.has(Field::energy_sensitivity));
}

TEST(SensitivityKeys, AskForLyapunovExponents) {
  const Scenario scenario = scenario_of("[sensitivities]\nlyapunov = true\n");
  const SystemInfo& info = scenario.system->info;
  EXPECT_EQ(info.sensitivities.size(), info.coordinates.size() + info.rates.size());
  ASSERT_EQ(info.exponents.size(), info.sensitivities.size());
  EXPECT_EQ(info.exponents[1].name, "lyapunov_2");
  EXPECT_TRUE(scenario.options.fields.has(Field::lyapunov_exponents));
  EXPECT_FALSE(scenario.options.fields.has(Field::q_sensitivity));
  static const std::vector<System> systems = fake_systems();
  const Scenario again = load_scenario_text(scenario.text, "again", {}, systems);
  EXPECT_EQ(again.text, scenario.text);
  EXPECT_EQ(again.system->info.exponents.size(), info.exponents.size());
  EXPECT_TRUE(scenario_of("[sensitivities]\nof = ['initial.x']\nlyapunov = false\n").system->info.exponents.empty());
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
      {"of = ['initial.x']\n[solver]\nbackend = 'cuda'\nthreads_per_member = 4",
       "sensitivities go with one thread a member of a GPU, found solver.threads_per_member = 4"},
      {"of = ['initial.x']\n[[events]]\nname = 'low'\nwhen = 'z < 0'",
       "do not go with the event low: a condition has no derivatives"},
      {"of = ['initial.x']\n[[events]]\nname = 'low'\nwhen = 'lambda_1'",
       "do not go with the event low: multipliers are not differentiated yet"},
      {"of = ['initial.x']\n[initial]\nx = 0.5\nproject = 'keep_varied'",
       "sensitivities go with initial.project = true or false, found \"keep_varied\""},
      {"of = ['initial.x']\n[initial]\nx = 'z / 2'",
       "do not go through formulas of members yet, found that of initial.x"},
      {"of = ['initial.x']\n[output]\nfields = ['q', 'w_sensitivity']\nstatistics = ['gradient']",
       "s.toml:6: output.statistics: expected a field with its sensitivity, such as \"q\" and \"q_sensitivity\", among "
       "output.fields, for \"gradient\"; found [\"q\", \"w_sensitivity\"]"},
      {"lyapunov = true\n[output]\nstatistics = ['gradient']",
       "\"gradient\" is along sensitivities; with sensitivities.lyapunov there are none"},
      {"lyapunov = 1", "s.toml:3: sensitivities.lyapunov: expected true or false, found 1"},
      {"lyapunov = false", "s.toml:2: sensitivities: of is missing; add of = "},
      {"lyapunov = true\nof = ['initial.x', 'parameters.L']",
       "Lyapunov exponents are of starts, such as \"initial.*\", found \"parameters.L\""},
      {"lyapunov = true\n[solver]\nbackend = 'cuda'\npseudo_inverse = 'cusolver'",
       "sensitivities are not by cuSOLVER, found solver.pseudo_inverse = \"cusolver\""},
      {"lyapunov = true\n[[events]]\nname = 'low'\nwhen = 'z'",
       "sensitivities.lyapunov: Lyapunov exponents do not go with events yet"},
      {"lyapunov = true\n[initial]\nproject = false",
       "sensitivities.lyapunov: Lyapunov exponents go with starts that are put on the constraints"},
      {"lyapunov = true\n[output]\nfields = ['q_sensitivity']",
       "states no q_sensitivity: with sensitivities.lyapunov the columns are made orthonormal anew"},
  };
  const ScratchFolder folder;
  for (const Case& each : cases) {
    const std::string file =
        folder.write("s.toml", std::string("system = \"pendulum\"\n[sensitivities]\n") + each.text);
    const Failure failure = failure_of(folder, file);
    EXPECT_EQ(failure.code, ExitCode::bad_input);
    EXPECT_NE(failure.message.find(each.message), std::string::npos) << failure.message;
  }
  EXPECT_NE(first_message(folder, folder.write("f.toml", "system = \"pendulum\"\n[output]\nstatistics = ['gradient']"))
                .find("is along sensitivities: add [sensitivities] of = "),
            std::string::npos);
  EXPECT_NE(first_message(folder, folder.write("f.toml", "system = \"pendulum\"\n[output]\nfields = ['q_sensitivity']"))
                .find("states no q_sensitivity"),
            std::string::npos);
  EXPECT_NE(
      first_message(folder, folder.write("f.toml", "system = \"pendulum\"\n[output]\nfields = ['lyapunov_exponents']"))
          .find("states no lyapunov_exponents; add sensitivities.lyapunov = true"),
      std::string::npos);
}

}  // namespace
}  // namespace kalaba
