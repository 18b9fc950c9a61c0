#include "scenario/scenario.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "scenario/sampling/random.hpp"
#include "scenarios/fake_systems.hpp"
#include "scenarios/scratch_folder.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

const std::vector<System>& systems() {
  static const std::vector<System> fakes = fake_systems();
  return fakes;
}

Scenario load(const std::string& source, const std::vector<std::string>& overrides = {}) {
  return load_scenario(source, overrides, systems());
}

std::string fixture(const std::string& name) { return std::string(KALABA_SOURCE_DIR) + "/tests/scenarios/" + name; }

TEST(Scenario, HasTheDefaultsOfItsSystem) {
  const Scenario scenario = load("pendulum");
  EXPECT_EQ(scenario.system.get(), &systems()[0]);
  EXPECT_EQ(scenario.members, 1);
  EXPECT_EQ(scenario.seed, 1U);
  EXPECT_EQ(scenario.output_file, "");
  EXPECT_EQ(scenario.options.time.end, 5);
  EXPECT_EQ(scenario.options.time.save_every, 50);
  EXPECT_TRUE(scenario.options.project_start);
  EXPECT_EQ(scenario.options.backend, Backend::automatic);
  EXPECT_EQ(scenario.options.method.rank_tolerance, 1e-6);
  EXPECT_EQ(scenario.options.method.stabilization.kind, Stabilization::Kind::projection);
  EXPECT_TRUE(scenario.options.fields.has(Field::energy));
}

TEST(Scenario, LeavesOutTheDefaultEnergyOfASystemThatHasNone) {
  const Scenario scenario = load("swarm");
  EXPECT_TRUE(scenario.options.fields.has(Field::q));
  EXPECT_FALSE(scenario.options.fields.has(Field::energy));
}

TEST(Scenario, ReadsAnAdaptiveIntegratorAndItsSavedTimes) {
  const std::vector<std::string> keys = {"solver.integrator=dopri5",       "solver.relative_tolerance=1e-7",
                                         "solver.absolute_tolerance=1e-9", "solver.largest_step=0.5",
                                         "solver.smallest_step=1e-10",     "solver.max_steps=5000",
                                         "time.save_at=[0, 0.123, 5]"};
  const Scenario scenario = load("pendulum", keys);
  const Method& method = scenario.options.method;
  EXPECT_EQ(method.integrator, Integrator::dopri5);
  EXPECT_EQ(method.relative_tolerance, 1e-7);
  EXPECT_EQ(method.absolute_tolerance, 1e-9);
  EXPECT_EQ(method.largest_step, 0.5);
  EXPECT_EQ(method.smallest_step, 1e-10);
  EXPECT_EQ(method.max_steps, 5000);
  EXPECT_EQ(scenario.options.save_at, (std::vector<double>{0, 0.123, 5}));
  const ScratchFolder folder;
  const Scenario again = load(folder.write("again.toml", scenario.text));
  EXPECT_EQ(again.text, scenario.text);
  EXPECT_EQ(again.options.save_at, scenario.options.save_at);
}

TEST(Scenario, ReadsOneNumberAsAListOfOne) {
  const Scenario scenario =
      load("pendulum", {"time.save_at=0.5", "output.statistics=quantiles", "output.quantiles=0.25",
                        "parameters.L={values=2}", "parameters.m={discrete=3}"});
  EXPECT_EQ(scenario.options.save_at, (std::vector<double>{0.5}));
  EXPECT_EQ(scenario.options.statistics.quantiles, (std::vector<double>{0.25}));
  EXPECT_EQ(scenario.members, 1);
}

TEST(Scenario, TheTolerancesOfSinglePrecisionAreWider) {
  const Scenario scenario = load("pendulum", {"solver.integrator=dopri5", "solver.precision=single"});
  EXPECT_EQ(scenario.options.method.relative_tolerance, 1e-4);
  EXPECT_EQ(scenario.options.method.absolute_tolerance, 1e-6);
}

TEST(Scenario, SavesTheEndAlone) {
  const Scenario scenario = load("pendulum", {"time.save_every=final"});
  EXPECT_EQ(scenario.options.time.save_every, 0);
  EXPECT_NE(scenario.text.find("save_every = \"final\""), std::string::npos);
}

TEST(Scenario, AnOverrideOfWhatIsSavedGoesBeforeTheFile) {
  const ScratchFolder folder;
  const std::string file = folder.write("s.toml", "system = \"pendulum\"\n[time]\nsave_every = 5\n");
  EXPECT_EQ(load(file, {"time.save_at=[1]"}).options.save_at, std::vector<double>{1});
  const std::string other = folder.write("t.toml", "system = \"pendulum\"\n[time]\nsave_at = [1]\n");
  EXPECT_TRUE(load(other, {"time.save_every=5"}).options.save_at.empty());
  const std::string many = folder.write("m.toml", "system = \"pendulum\"\n[time]\ndt = 1e-9\nsave_every = 1\n");
  EXPECT_EQ(load(many, {"time.save_at=[1]"}).options.save_at, std::vector<double>{1});
}

TEST(Scenario, ReadsEveryKey) {
  const Scenario scenario = load(fixture("complete.toml"));
  const Options& options = scenario.options;
  EXPECT_EQ(scenario.members, 12);
  EXPECT_EQ(scenario.seed, 7U);
  EXPECT_EQ(scenario.output_file, "o.nc");
  EXPECT_FALSE(options.project_start);
  EXPECT_EQ(options.time.start, 1);
  EXPECT_EQ(options.time.end, 3.5);
  EXPECT_EQ(options.time.dt, 0.25);
  EXPECT_EQ(options.time.save_every, 2);
  EXPECT_EQ(options.backend, Backend::reference);
  EXPECT_EQ(options.precision, Precision::single_precision);
  EXPECT_EQ(options.method.pseudo_inverse, PseudoInverse::qr);
  EXPECT_EQ(options.method.rank_tolerance, 1e-5);
  EXPECT_EQ(options.method.consistency_tolerance, 1e-3);
  EXPECT_EQ(options.method.stabilization.kind, Stabilization::Kind::feedback);
  EXPECT_EQ(options.method.stabilization.rate_gain, 10);
  EXPECT_EQ(options.method.stabilization.position_gain, 49);
  EXPECT_EQ(options.threads, 2);
  EXPECT_EQ(options.block_members, 64);
  EXPECT_EQ(options.memory_budget, 1e6);
  EXPECT_TRUE(options.fields.has(Field::energy) && options.fields.has(Field::rank) && options.fields.has(Field::q));
  EXPECT_FALSE(options.fields.has(Field::w));
}

TEST(Scenario, AcceptsWholeNumbersInEitherSpelling) {
  const Scenario scenario = load("pendulum", {"ensemble.members=1e5", "time.end=3", "solver.memory=5000"});
  EXPECT_EQ(scenario.members, 100'000);
  EXPECT_EQ(scenario.options.time.end, 3.0);
  EXPECT_EQ(scenario.options.memory_budget, 5000.0);
}

TEST(Scenario, LowersTheRankToleranceOfSinglePrecision) {
  EXPECT_EQ(load("pendulum", {"solver.precision=single"}).options.method.rank_tolerance, 1e-4);
  const std::vector<std::string> both = {"solver.precision=single", "solver.rank_tolerance=1e-3"};
  EXPECT_EQ(load("pendulum", both).options.method.rank_tolerance, 1e-3);
}

TEST(Scenario, PicksTheSizeOfAStructure) {
  EXPECT_EQ(load("swarm").system->info.structure.at("agents"), 5);
  EXPECT_EQ(load("swarm", {"structure.agents=3"}).system->info.structure.at("agents"), 3);
}

TEST(Scenario, TakesOverrides) {
  const ScratchFolder folder;
  const std::string file = folder.write("s.toml",
                                        "system = 'pendulum'\n[parameters]\nL = { uniform = [1, 2] }\n"
                                        "[solver]\nthreads = 3\n");
  const Scenario scenario =
      load(file, {"parameters.L={normal=[1, 0]}", "solver.stabilization = none", "output.file=o.csv", "time.end= 3 ",
                  "solver.backend=\"cpu\"", "system=pendulum"});
  EXPECT_EQ(scenario.options.method.stabilization.kind, Stabilization::Kind::none);
  EXPECT_EQ(scenario.output_file, "o.csv");
  EXPECT_EQ(scenario.options.time.end, 3);
  EXPECT_EQ(scenario.options.backend, Backend::cpu);
  EXPECT_EQ(scenario.options.threads, 3);
  EXPECT_NE(scenario.text.find("L = { normal = [1.0, 0.0] }"), std::string::npos) << scenario.text;
}

TEST(Scenario, TakesItsSystemFromAnOverride) {
  const ScratchFolder folder;
  EXPECT_EQ(load(folder.write("s.toml", "[time]\nend = 2"), {"system=pendulum"}).system.get(), &systems()[0]);
}

TEST(Scenario, ReadsAGridOfTheLengthOfItsTime) {
  EXPECT_NO_THROW(load("pendulum", {"time.end=0.3", "time.dt=0.1"}));
  EXPECT_NO_THROW(load("pendulum", {"time.start=1000.1", "time.end=1000.4", "time.dt=1e-4"}));
  EXPECT_NO_THROW(load("pendulum", {"time.end=1e9", "time.dt=1e-3", "time.save_every=final"}));
}

/// The effective text must be a fixed point: the same run, to the last bit.
void expect_round_trip(const std::string& source, const std::vector<std::string>& overrides) {
  const ScratchFolder folder;
  const Scenario first = load(source, overrides);
  const Scenario second = load(folder.write("again.toml", first.text));
  EXPECT_EQ(second.text, first.text);
  EXPECT_EQ(second.system, first.system);
  EXPECT_EQ(second.members, first.members);
  EXPECT_EQ(second.options.time.dt, first.options.time.dt);
  EXPECT_EQ(second.options.method.stabilization.rate_gain, first.options.method.stabilization.rate_gain);
  EXPECT_EQ(second.options.method.stabilization.position_gain, first.options.method.stabilization.position_gain);
  const SystemInfo& info = first.system->info;
  Block a(static_cast<int>(info.parameters.size()), static_cast<int>(info.coordinates.size()),
          static_cast<int>(info.rates.size()), first.members);
  Block b = a;
  a.assign(0, first.members);
  b.assign(0, first.members);
  first.source->fill(a);
  second.source->fill(b);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.w, b.w);
}

TEST(Scenario, TextGivesTheSameRunAgain) {
  expect_round_trip(fixture("complete.toml"), {});
  expect_round_trip("swarm", {"structure.agents=2", "parameters.kappa=0.1", "ensemble.members=3"});
  expect_round_trip("pendulum", {"solver.stabilization={feedback=0.3}", "time.dt=1e-5", "output.file=a \"b\\c.nc",
                                 "parameters.g={linspace=[-0.0, 1e-300, 4]}"});
}

TEST(Template, IsAcceptedAsItStands) {
  const ScratchFolder folder;
  for (const System& system : systems()) {
    const Scenario scenario = load(folder.write("template.toml", scenario_template(system)));
    EXPECT_EQ(scenario.system.get(), &system);
    EXPECT_EQ(scenario.output_file, system.info.name + ".nc");
    // But for the file, it is the run of the system's name alone.
    const std::string agents = system.info.structure.empty()
                                   ? "ensemble.seed=1"
                                   : "structure.agents=" + std::to_string(system.info.structure.at("agents"));
    EXPECT_EQ(scenario.text, load(system.info.name, {"output.file=" + system.info.name + ".nc", agents}).text);
  }
}

/// Uncomments every commented key: they must be right too.
TEST(Template, IsRightInItsComments) {
  const ScratchFolder folder;
  std::istringstream lines(scenario_template(systems()[0]));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const bool commented_key = line.starts_with("# ") && line.find(" = ") == line.find(' ', 2) && line[2] != '{';
    text += (commented_key ? line.substr(2) : line) + "\n";
  }
  const Scenario scenario = load(folder.write("template.toml", text));
  EXPECT_NE(scenario.text.find("\nx = 0.8\n"), std::string::npos) << text;
}

TEST(Template, ShowsCorrelatedVariablesAsTheyMayBeWritten) {
  const ScratchFolder folder;
  std::istringstream lines(scenario_template(systems()[0]));
  std::string text;
  bool correlated = false;
  for (std::string line; std::getline(lines, line);) {
    correlated = (correlated || line == "#     [[correlated]]") && line.starts_with("#     ");
    if (line.starts_with("m = ") || line.starts_with("L = ")) continue;  // which they take the place of
    text += (correlated ? line.substr(6, line.find("      or ") - 6) : line) + "\n";
  }
  EXPECT_NE(load(folder.write("template.toml", text)).text.find("variables = [\"parameters.m\", \"parameters.L\"]"),
            std::string::npos)
      << text;
}

TEST(Template, OfEveryCatalogueSystemIsAccepted) {
  const ScratchFolder folder;
  ASSERT_FALSE(catalogue().empty());
  for (const System& system : catalogue()) {
    const Scenario scenario = load_scenario(folder.write("template.toml", scenario_template(system)), {});
    EXPECT_EQ(scenario.system.get(), &system);
  }
}

TEST(Streams, OfOneSystemAreDifferent) {
  for (const System& system : catalogue()) {
    std::set<std::uint32_t> streams;
    std::size_t count = 0;
    const auto add = [&](const std::string& table, const std::vector<Variable>& variables) {
      for (const Variable& variable : variables) streams.insert(stream_of(table + variable.name));
      count += variables.size();
    };
    add("parameters.", system.info.parameters);
    add("initial.", system.info.coordinates);
    add("initial.", system.info.rates);
    EXPECT_EQ(streams.size(), count) << system.info.name;
  }
}

TEST(NearestWord, FindsTheOneThatWasMeant) {
  const std::vector<std::string> words = {"spherical_pendulum", "swarm", "L", "time", "save_every", "members"};
  EXPECT_EQ(nearest_word("sperical_pendulum", words), "spherical_pendulum");
  EXPECT_EQ(nearest_word("pendulum", words), "spherical_pendulum");
  EXPECT_EQ(nearest_word("swram", words), "swarm");
  EXPECT_EQ(nearest_word("emit", words), "");
  EXPECT_EQ(nearest_word("l", words), "L");
  EXPECT_EQ(nearest_word("tiem", words), "time");
  EXPECT_EQ(nearest_word("saveevery", words), "save_every");
  EXPECT_EQ(nearest_word("x", words), "");
  EXPECT_EQ(nearest_word("", words), "");
  EXPECT_EQ(nearest_word("quaternion", words), "");
  EXPECT_EQ(nearest_word(std::string(100'000, 'a'), words), "");
}

}  // namespace
}  // namespace kalaba
