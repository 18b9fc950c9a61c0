#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "kalaba/ensemble.hpp"
#include "kalaba/error.hpp"
#include "kalaba/swarm.hpp"
#include "scenario/document/text_difference.hpp"
#include "scenario/scenario.hpp"
#include "support/error_of.hpp"

namespace kalaba {
namespace {

std::string message_of(const std::vector<std::string>& overrides) {
  return test::message_of([&] { load_scenario("swarm", overrides); });
}

TEST(SwarmScenario, SaysWhatIsWrong) {
  EXPECT_NE(message_of({"structure.agents=0"}).find("from 1 to 100000000, found 0"), std::string::npos);
  EXPECT_NE(message_of({"structure.agents=1000000000000"}).find("from 1 to 100000000"), std::string::npos);
  EXPECT_NE(message_of({"structure.dimension=4"}).find("from 2 to 3, found 4"), std::string::npos);
  EXPECT_NE(message_of({"structure.law=boids"}).find("expected one of paper, morse"), std::string::npos);
  EXPECT_NE(message_of({"structure.law=mors"}).find("did you mean morse?"), std::string::npos);
  EXPECT_NE(message_of({"structure.agents=9", "initial.x={values=[1, 2]}"}).find("each of the 9 agents, found 2"),
            std::string::npos);
  EXPECT_NE(message_of({"structure.agents=9", "initial.agents={dsk=1}"}).find("did you mean disk?"), std::string::npos);
}

std::string refusal_of(const std::string& tables) {
  return test::message_of([&] { load_scenario_text("system = \"swarm\"\n" + tables, "a.toml", {}); });
}

TEST(SwarmScenario, SaysWhatIsWrongWithHeldAgents) {
  const auto circle = [](const std::string& which, const std::string& rest) {
    return "[[agents]]\nwhich = " + which + "\nconstraint = \"circle\"\n" + rest;
  };
  const std::pair<std::string, std::string> cases[] = {
      {circle("[0]", ""), "a.toml:2: agents[1]: radius is missing"},
      {circle("[0]", "radius = 0"), "a.toml:5: agents[1].radius: expected a positive number of metres, found 0"},
      {circle("[0]", "radus = 1"), "a.toml:5: agents[1].radus: unknown key; did you mean radius?"},
      {circle("[0]", "radius = 1\nnormal = [0, 0, 1]"), "unknown key; a circle in the plane has which, constraint"},
      {circle("[0]", "radius = 1\ncentre = [0, 0, 1]"), "centre: expected 2 numbers, one for each axis, found 3"},
      {circle("[0]", "radius = 1\nphase = 1"), "phase: expected angular_speed beside it"},
      {circle("5", "radius = 1"), "a.toml:3: agents[1].which: expected a whole number from 0 to 4, found 5"},
      {circle("\"3-7\"", "radius = 1"), "which: expected agents from 0 to 4, found 7"},
      {circle("\"7-3\"", "radius = 1"), "which: expected agents by number: [0, 5] or"},
      {circle("\"-5-3\"", "radius = 1"),
       "a.toml:3: agents[1].which: expected agents by number: [0, 5] or \"0-9\", found \"-5-3\""},
      {circle("[1, 1]", "radius = 1"), "agent 1 is named twice"},
      {circle("[1]", "radius = 1\n") + circle("\"0-2\"", "radius = 1"),
       "a.toml:7: agents[2].which: agent 1 is held already"},
      {"[[agents]]\nwhich = [0]\nconstraint = \"crcle\"",
       "expected one of circle, line, path, found \"crcle\"; did you"},
      {"[[agents]]\nwhch = [0]", "agents[1].whch: unknown key; did you mean which?"},
      {"[agents]\nwhich = [0]", "agents: expected an array of tables, [[agents]], found a table"},
      {"[[agents]]\nwhich = [0]\nconstraint = \"line\"", "direction is missing"},
      {"[[agents]]\nwhich = [0]\nconstraint = \"line\"\ndirection = [0, 0]",
       "expected a direction, found one of length"},
      {"[[agents]]\nwhich = [0, 1]\nconstraint = \"path\"\npath = [[0, 0, 0], [9, 1, 1]]", "expected one agent"},
      {"[[agents]]\nwhich = [0]\nconstraint = \"path\"\npath = [[0, 0, 0], [0.2, 1, 1]]",
       "expected a path from 0 to 1 s, as the run lasts; found one from 0 to 0.2"},
      {"[[agents]]\nwhich = [0]\nconstraint = \"path\"\npath = [[1, 0, 0], [1, 1, 1]]",
       "ascending times, found 1 after 1"},
      {"[[agents]]\nwhich = [0]\nconstraint = \"path\"\npath = [[0, 0, 0], [1, 1]]",
       "path[2]: expected 3 numbers, t, x, y, found 2"},
      {"[[agents]]\nwhich = [0]\nconstraint = \"path\"\npath = [[0, 0, 0]]", "expected two points or more, found 1"},
  };
  for (const auto& [tables, message] : cases) {
    EXPECT_NE(refusal_of(tables).find(message), std::string::npos) << tables << "\n" << refusal_of(tables);
  }
}

/// The text that goes into a file makes the same run again.
TEST(SwarmScenario, HeldAgentsAreReadAsTheyAreShown) {
  const Scenario scenario = load_scenario_text(
      "system = \"swarm\"\n[structure]\nagents = 40\ndimension = 3\n"
      "[[agents]]\nwhich = [3, 1, 2]\nconstraint = \"circle\"\nradius = 3.5\nangular_speed = 2\n"
      "[[agents]]\nwhich = \"10-19\"\nconstraint = \"line\"\ndirection = [1, 2, 3]\n"
      "[[agents]]\nwhich = 0\nconstraint = \"path\"\npath = [[0, 0, 1, 2], [1, 4, 5, 6]]\n",
      "a.toml", {});
  const Scenario again = load_scenario_text(scenario.text, "again", {});
  EXPECT_EQ(again.text, scenario.text);
  EXPECT_EQ(text_difference(scenario.text, again.text), "");
  std::string other = scenario.text;
  other.replace(other.find("\"10-19\""), 7, "\"10-18\"");
  EXPECT_EQ(text_difference(scenario.text, other), "agents[1].which was \"10-19\", is now \"10-18\"");
  EXPECT_NE(scenario.text.find("[[agents]]\nwhich = \"1-3\"\nconstraint = \"circle\"\nradius = 3.5"), std::string::npos)
      << scenario.text;
  const Result one = run(Ensemble(*scenario.system, 1), scenario.options);
  const Result two = run(Ensemble(*again.system, 1), again.options);
  const std::size_t last = one.times().size() - 1;
  EXPECT_EQ(one.status()[0], Status::ok) << one.summary.first_failure();
  for (const char* name : {"x", "z_dot"})
    EXPECT_TRUE(std::ranges::equal(one.values(name, last), two.values(name, last)));
  EXPECT_NEAR(std::hypot(one.values("x", last)[1], one.values("y", last)[1]), 3.5, 1e-12);
  // Three agents of a turning circle are evenly around it.
  EXPECT_NEAR(one.values("x", 0)[1] + one.values("x", 0)[2] + one.values("x", 0)[3], 0, 1e-12);
}

/// One schema for every number of agents; small matrices have a name of their own.
TEST(SwarmScenario, IsOneSystemOfEverySize) {
  for (const char* agents : {"2", "5", "7", "100"}) {
    const Scenario scenario = load_scenario("swarm", {std::string("structure.agents=") + agents});
    EXPECT_EQ(scenario.system->info.agents, std::stol(agents));
    EXPECT_EQ(scenario.system->info.coordinates.size(), 2U);
  }
  EXPECT_EQ(load_scenario("swarm", {}).system->info.agents, default_swarm().info.agents);
  EXPECT_EQ(find_system("swarm").info.agents, default_swarm().info.agents);
  EXPECT_THROW(find_system("swarm", {{"agents", 100}}), Error);
  EXPECT_EQ(load_scenario("swarm_matrix", {"structure.agents=3"}).system->info.coordinates.size(), 6U);
  EXPECT_EQ(load_scenario("swarm_matrix", {"structure.agents=3"}).system->info.agents, 0);
}

/// A swarm's draws depend on its number in the ensemble, not on the block.
TEST(SwarmScenario, AMemberIsDrawnForItself) {
  const Scenario scenario =
      load_scenario("swarm", {"structure.agents=4", "ensemble.members=3", "initial.agents={disk=2}",
                              "initial.x_dot={normal=[0, 1]}", "parameters.kappa={values=[1, 2, 3]}"});
  Block all(static_cast<int>(scenario.system->info.parameters.size()), 8, 8, 3, 1);
  all.assign(0, 3);
  scenario.source->fill(all);
  Block last(static_cast<int>(scenario.system->info.parameters.size()), 8, 8, 1, 1);
  last.assign(2, 1);
  scenario.source->fill(last);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(last.q[i], all.q[3 * i + 2]);
    EXPECT_EQ(last.w[i], all.w[3 * i + 2]);
    EXPECT_NE(all.q[3 * i], all.q[3 * i + 1]);
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LE(std::hypot(last.q[i], last.q[4 + i]), 2);
}

/// The moments of where agents start: of an even disk or ball, of a bell curve, of a lattice.
TEST(SwarmScenario, AgentsStartAsTheirPlacementSays) {
  const auto mean_squares = [](const std::string& placement, int dimension) {
    const Scenario scenario = load_scenario("swarm", {"structure.agents=4096", "initial.agents=" + placement,
                                                      "structure.dimension=" + std::to_string(dimension)});
    const long numbers = 4096L * dimension;
    Block block(static_cast<int>(scenario.system->info.parameters.size()), static_cast<int>(numbers),
                static_cast<int>(numbers), 1, 1);
    block.assign(0, 1);
    scenario.source->fill(block);
    std::vector<double> squares;  // of each axis
    for (int d = 0; d < dimension; ++d) {
      double sum = 0;
      for (std::size_t i = 0; i < 4096; ++i) sum += std::pow(block.q[static_cast<std::size_t>(d) * 4096 + i], 2);
      squares.push_back(sum / 4096);
    }
    return squares;
  };
  for (const int dimension : {2, 3}) {
    const double share = dimension == 2 ? 1.0 / 4 : 1.0 / 5;  // of the radius squared, an axis
    for (const double found : mean_squares("{spiral=3}", dimension)) EXPECT_NEAR(found, 9 * share, 0.02 * 9 * share);
    for (const double found : mean_squares("{disk=3}", dimension)) EXPECT_NEAR(found, 9 * share, 0.1 * 9 * share);
    for (const double found : mean_squares("{normal=3}", dimension)) EXPECT_NEAR(found, 9, 0.9);
    const double side = dimension == 2 ? 64 : 16;
    for (const double found : mean_squares("{grid=3}", dimension)) EXPECT_NEAR(found, 9 * (side * side - 1) / 12, 1e-9);
  }
}

/// Every commented key of the template is one that is read, by itself.
TEST(SwarmScenario, TheKeysOfTheTemplateAreOnesThatItReads) {
  std::istringstream lines(scenario_template(default_swarm()));
  std::string table;
  int keys = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[")) table = line.substr(1, line.find(']') - 1) + ".";
    if (line.starts_with("# Agents that a constraint")) break;  // a table that is complete as a whole
    if (line.starts_with("#     ")) continue;                   // valid with other options only
    const std::size_t mark = line.find(" # ", 2);
    if (!line.starts_with("# ") || line.find(" = ") == std::string::npos || mark == std::string::npos) continue;
    const std::string name = line.substr(2, line.find(" =") - 2);
    const std::string value = line.substr(line.find("= ") + 2, mark - line.find("= ") - 2);
    std::vector<std::string> overrides = {table + name + "=" + value};
    if (line.find("law morse") != std::string::npos) overrides.push_back("structure.law=morse");
    if (name == "histogram") overrides.push_back("output.statistics=[\"histogram\"]");
    if (name == "quantiles") overrides.push_back("output.statistics=[\"quantiles\"]");
    EXPECT_NO_THROW(load_scenario("swarm", overrides)) << line;
    ++keys;
  }
  EXPECT_EQ(keys, 20);
}

}  // namespace
}  // namespace kalaba
