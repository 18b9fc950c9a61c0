// Parameters and starts from netCDF files: tables of other programs, or final states of an earlier run.

#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "kalaba/block.hpp"
#include "kalaba/ensemble.hpp"
#include "kalaba/member_block.hpp"
#include "output/netcdf/netcdf_file.hpp"
#include "scenarios/failure.hpp"

namespace kalaba {
namespace {

struct Ending {
  Status status;
  double time;
};

/// Three members with L, and x and z at two saved times: time + 10 component + 100 member; and how they ended.
void write_run(const std::string& path, double last_length = 3, const std::vector<Ending>& endings = {}) {
  NetcdfFile file = NetcdfFile::create(path, path);
  const int time = file.add_dimension("time", 2);
  const int coordinate = file.add_dimension("coordinate", 2);
  const int member = file.add_dimension("member", 3);
  const int labels = file.add_variable("coordinate", NC_STRING, {coordinate});
  const int length = file.add_variable("L", NC_DOUBLE, {member});
  const int q = file.add_variable("q", NC_DOUBLE, {time, coordinate, member});
  file.put_strings(labels, {"x", "z"});
  const double lengths[] = {1, 2, last_length};
  file.put(length, {0}, {3}, lengths);
  std::vector<double> states;
  for (int t = 0; t < 2; ++t) {
    for (int component = 0; component < 2; ++component) {
      for (int i = 0; i < 3; ++i) states.push_back(t + 10 * component + 100 * i);
    }
  }
  file.put(q, {0, 0, 0}, {2, 2, 3}, states.data());
  if (!endings.empty()) {
    const int status = file.add_variable("status", NC_INT, {member});
    const int failure_time = file.add_variable("failure_time", NC_DOUBLE, {member});
    for (std::size_t i = 0; i < endings.size(); ++i) {
      const int code = static_cast<int>(endings[i].status);
      file.put(status, {i}, {1}, &code);
      file.put(failure_time, {i}, {1}, &endings[i].time);
    }
  }
  file.close();
}

std::vector<double> copy_of(std::span<const double> row) { return {row.begin(), row.begin() + 3}; }

TEST(NetcdfColumn, GivesParametersAndWhereARunEnded) {
  const ScratchFolder folder;
  write_run(folder.path("run.nc"));
  const std::string file =
      folder.write("s.toml",
                   "system = 'pendulum'\n[parameters]\nL = { file = 'run.nc' }\nm = { file = 'run.nc', column = 'L' }\n"
                   "[initial]\nx = { file = 'run.nc', column = 'z' }\nz = { file = 'run.nc' }\n");
  static const std::vector<System> systems = fake_systems();
  const Scenario scenario = load_scenario(file, {}, systems);
  ASSERT_EQ(scenario.members, 3);
  Block block(3, 2, 2, 3);
  block.assign(0, 3);
  scenario.source->fill(block);
  EXPECT_EQ(copy_of(block.parameter(1)), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(copy_of(block.parameter(0)), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(copy_of(block.coordinate(0)), (std::vector<double>{11, 111, 211}));
  EXPECT_EQ(copy_of(block.coordinate(1)), (std::vector<double>{11, 111, 211}));
}

constexpr double never = std::numeric_limits<double>::quiet_NaN();

Failure failure_of_key(const ScratchFolder& folder, const std::string& key, const std::string& value) {
  return failure_of(folder, folder.write("s.toml", "system = 'pendulum'\n" + key + " = " + value + "\n"));
}

TEST(NetcdfColumn, RefusesStatesOfMembersThatFailed) {
  const ScratchFolder folder;
  write_run(folder.path("a.nc"), 3,
            {{Status::stopped, 0.5}, {Status::not_converged, 0.25}, {Status::non_finite, 0.75}});
  EXPECT_EQ(
      failure_of_key(folder, "initial.x", "{ file = 'a.nc' }").message,
      "s.toml:2: initial.x.file: a.nc: x: expected members that came to their end, found member 1 not_converged at "
      "t = 0.25 s (2 of 3 did not); run it again so that none fails, or give the states of the others in a file of "
      "their own (kalaba export writes tables)");
  EXPECT_EQ(failure_of_key(folder, "initial.x", "{ file = 'a.nc' }").code, ExitCode::bad_input);
  write_run(folder.path("b.nc"), 3, {{Status::ok, never}, {Status::ok, never}, {Status::interrupted, never}});
  EXPECT_EQ(
      failure_of_key(folder, "initial.z", "{ file = 'b.nc' }").message,
      "s.toml:2: initial.z.file: b.nc: z: expected members that came to their end, found member 2 interrupted (1 of "
      "3 did not); go on with that run first (kalaba run --resume)");
  // The input of a member is valid, whatever its status at the end.
  EXPECT_EQ(failure_of_key(folder, "parameters.L", "{ file = 'a.nc' }").code, ExitCode::ok);
}

TEST(NetcdfColumn, NotesThatEventsStoppedMembers) {
  const ScratchFolder folder;
  static const std::vector<System> systems = fake_systems();
  write_run(folder.path("run.nc"), 3, {{Status::stopped, 0.5}, {Status::ok, never}, {Status::stopped, 0.25}});
  const std::string file = folder.write("s.toml",
                                        "system = 'pendulum'\ninitial.x = { file = 'run.nc' }\ninitial.z = "
                                        "{ file = 'run.nc' }\nparameters.L = { file = 'run.nc' }\n");
  EXPECT_EQ(load_scenario(file, {}, systems).notes,
            std::vector<std::string>{folder.path("run.nc") +
                                     ": 2 of 3 members start where an event stopped them, each at its own time (t = "
                                     "0.25 to 0.5 s); in this run all start at one time"});
  write_run(folder.path("ended.nc"), 3, {{Status::ok, never}, {Status::ok, never}, {Status::ok, never}});
  EXPECT_TRUE(load_scenario("pendulum", {"initial.x={file='" + folder.path("ended.nc") + "'}"}, systems).notes.empty());
}

TEST(NetcdfColumn, IsKnownByItsBeginning) {
  const ScratchFolder folder;
  write_run(folder.path("run.h5"));
  EXPECT_EQ(failure_of_key(folder, "parameters.L", "{ file = 'run.h5' }").code, ExitCode::ok);
  folder.write("classic", std::string("CDF\x01\0\0\0\0", 8));
  EXPECT_NE(failure_of_key(folder, "parameters.L", "{ file = 'classic' }").message.find("expected a variable \"L\""),
            std::string::npos);
  folder.write("picture.csv", "\x89PNG\r\n\x1a\n\x1b[31m");
  EXPECT_EQ(
      failure_of_key(folder, "parameters.L", "{ file = 'picture.csv' }").message,
      "s.toml:2: parameters.L.file: picture.csv:1: expected a line of column names in UTF-8, found bytes that are "
      "no text");
}

TEST(NetcdfColumn, SaysWhatIsWrong) {
  const ScratchFolder folder;
  const auto message = [&](const std::string& length) {
    const Failure failure =
        failure_of(folder, folder.write("s.toml", "system = 'pendulum'\n[parameters]\nL = " + length + "\n"));
    EXPECT_NE(failure.code, ExitCode::ok);
    return failure.message;
  };
  write_run(folder.path("run.nc"));
  EXPECT_EQ(
      message("{ file = 'run.nc', column = 'LL' }"),
      "s.toml:3: parameters.L.file: run.nc: expected a variable \"LL\" of one dimension, or a coordinate or rate, "
      "found L, x, z; did you mean L?");
  EXPECT_NE(message("{ file = 'none.nc' }").find("s.toml:3: parameters.L.file: cannot read none.nc"),
            std::string::npos);
  folder.write("text.nc", "no netCDF");
  EXPECT_NE(message("{ file = 'text.nc' }").find("cannot read text.nc"), std::string::npos);
  write_run(folder.path("failed.nc"), std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(message("{ file = 'failed.nc' }"),
            "s.toml:3: parameters.L.file: failed.nc: L: expected finite numbers, found nan of member 2");
}

/// One swarm of three agents, the last without a place.
void write_swarm(const std::string& path, double active) {
  NetcdfFile file = NetcdfFile::create(path, path);
  const int time = file.add_dimension("time", 1);
  const int coordinate = file.add_dimension("coordinate", 1);
  const int agent = file.add_dimension("agent", 3);
  const int member = file.add_dimension("member", 1);
  const int labels = file.add_variable("coordinate", NC_STRING, {coordinate});
  const int taking_part = file.add_variable("active", NC_DOUBLE, {member});
  const int q = file.add_variable("q", NC_DOUBLE, {time, coordinate, agent, member});
  file.put_strings(labels, {"x"});
  file.put(taking_part, {0}, {1}, &active);
  const double places[] = {1, 2, never};
  file.put(q, {0, 0, 0, 0}, {1, 1, 3, 1}, places);
  file.close();
}

TEST(NetcdfColumn, OfOneSwarmNamesTheAgent) {
  const ScratchFolder folder;
  write_swarm(folder.path("all.nc"), 3);
  EXPECT_EQ(failure_of_key(folder, "initial.x", "{ file = 'all.nc' }").message,
            "s.toml:2: initial.x.file: all.nc: x: expected finite numbers, found nan of agent 2");
  write_swarm(folder.path("two.nc"), 2);
  EXPECT_EQ(failure_of_key(folder, "initial.x", "{ file = 'two.nc' }").message,
            "s.toml:2: initial.x.file: two.nc: x: expected finite numbers, found nan of agent 2, which took no part "
            "(active = 2)");
}

/// Three members of a relay with x and x_dot at two saved times, and u as a discrete variable if `holds_u`.
void write_relay(const std::string& path, bool holds_u) {
  NetcdfFile file = NetcdfFile::create(path, path);
  const int time = file.add_dimension("time", 2);
  const int member = file.add_dimension("member", 3);
  const auto write = [&](const std::string& field, const std::string& dimension, const std::string& name,
                         double begin) {
    const int component = file.add_dimension(dimension, 1);
    const int labels = file.add_variable(dimension, NC_STRING, {component});
    const int values = file.add_variable(field, NC_DOUBLE, {time, component, member});
    file.put_strings(labels, {name});
    const double numbers[] = {begin, begin, begin, begin + 1, begin + 2, begin + 3};
    file.put(values, {0, 0, 0}, {2, 1, 3}, numbers);
  };
  write("q", "coordinate", "x", 10);
  write("w", "rate", "x_dot", 20);
  write("invariants", "invariant", holds_u ? "u" : "sum", 30);
  if (holds_u) file.set_texts(NC_GLOBAL, "discrete", {"u"});
  file.close();
}

const std::string relay = R"toml([initial]
x = { file = "run.nc" }
x_dot = { file = "run.nc" }
[model]
name = "relay"
[model.parameters]
F = "2 m/s^2"
[model.discrete]
u = { start = "F", unit = "m/s^2" }
[model.coordinates]
x = "m"
[model.mass]
x = 1
[model.force]
x = "u"
[[model.clocks]]
name = "control"
every = 0.1
)toml";
const std::string at_once = "set = { u = \"-F\" }\n";
const std::string late = "delay = 2\n" + at_once;

/// Starts of u, and the remarks on them.
std::pair<std::vector<double>, std::vector<std::string>> starts_of_u(const ScratchFolder& folder,
                                                                     const std::string& text) {
  const Scenario scenario = load_scenario(folder.write("s.toml", text), {});
  Block block = member_block(scenario.system->info, Options(), 3);
  block.assign(0, 3);
  fill_members(*scenario.system, *scenario.source, block);
  return {copy_of(block.parameter(1)), scenario.notes};
}

TEST(NetcdfColumn, ContinuesDiscreteVariables) {
  const ScratchFolder folder;
  write_relay(folder.path("run.nc"), true);
  const auto [continued, silent] = starts_of_u(folder, relay + at_once);
  EXPECT_EQ(continued, (std::vector<double>{31, 32, 33}));
  EXPECT_TRUE(silent.empty()) << silent.front();
  const auto [waiting, warned] = starts_of_u(folder, relay + late);
  EXPECT_EQ(waiting, continued);
  EXPECT_EQ(warned, std::vector<std::string>{folder.path("run.nc") +
                                             ": it does not contain the values that the delay of clock 'control' still "
                                             "held back: its first 2 ticks set u to the start that the model states"});
  // Copies for other numbers of members keep them.
  const Scenario scenario = load_scenario(folder.path("s.toml"), {});
  const Ensemble some = evenly_chosen(*scenario.system, *scenario.source, 3);
  EXPECT_EQ(some.given_discrete(), std::vector<int>{1});
}

TEST(NetcdfColumn, NotesDiscreteVariablesThatItDoesNotContinue) {
  const ScratchFolder folder;
  write_relay(folder.path("run.nc"), false);
  const auto [stated, notes] = starts_of_u(folder, relay + at_once);
  EXPECT_EQ(stated, (std::vector<double>{2, 2, 2}));
  EXPECT_EQ(notes, std::vector<std::string>{folder.path("run.nc") +
                                            ": it does not contain the discrete variables of that run: u starts as the "
                                            "model states; output.fields of that run saves them with \"invariants\""});
  write_relay(folder.path("other.nc"), true);
  std::string text = relay + at_once;
  const std::string from = "x_dot = { file = \"run.nc\"";
  text.replace(text.find(from), from.size(), "x_dot = { file = \"other.nc\"");
  const auto [still_stated, two_files] = starts_of_u(folder, text);
  EXPECT_EQ(still_stated, stated);
  ASSERT_EQ(two_files.size(), 1U);
  EXPECT_NE(two_files.front().find("initial.x_dot.file: the initial values are final states of 2 files"),
            std::string::npos)
      << two_files.front();
}

}  // namespace
}  // namespace kalaba
