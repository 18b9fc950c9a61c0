#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "kalaba/ensemble.hpp"
#include "kalaba/error.hpp"
#include "scenario/scenario.hpp"

namespace kalaba {
namespace {

std::string message_of(const std::vector<std::string>& overrides) {
  try {
    load_scenario("swarm", overrides);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
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

TEST(SwarmScenario, SizesOfTheCatalogueStayAsTheyAre) {
  EXPECT_EQ(load_scenario("swarm", {"structure.agents=5"}).system.get(), &find_system("swarm"));
  EXPECT_EQ(load_scenario("swarm", {"structure.agents=5", "structure.dimension=3"}).system->info.agents, 5);
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

/// Every key that the template marks as a swarm's makes one of any number, as the template says.
TEST(SwarmScenario, TheKeysOfTheTemplateAreOnesThatItReads) {
  std::istringstream lines(scenario_template(find_system("swarm")));
  const std::vector<std::string> initial = {"agents", "x_dot"};
  const std::vector<std::string> structure = {"dimension", "law"};
  const std::vector<std::string> solver = {"pair_sum", "pair_tolerance"};
  const auto among = [](const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::count(names, name) > 0;
  };
  int keys = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t mark = line.rfind("# S");
    if (mark == std::string::npos || mark == 0) continue;
    const std::string name = line.substr(2, line.find(" =") - 2);
    const std::string value = line.substr(line.find("= ") + 2, mark - line.find("= ") - 2);
    const std::string table = among(initial, name)     ? "initial."
                              : among(structure, name) ? "structure."
                              : among(solver, name)    ? "solver."
                                                       : "parameters.";
    std::vector<std::string> overrides = {table + name + "=" + value};
    if (line.find("law morse") != std::string::npos) overrides.push_back("structure.law=morse");
    EXPECT_EQ(load_scenario("swarm", overrides).system->info.agents, 5) << line;
    ++keys;
  }
  EXPECT_EQ(keys, 14);
}

}  // namespace
}  // namespace kalaba
