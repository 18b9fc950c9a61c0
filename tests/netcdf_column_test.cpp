// Parameters and initial states from netCDF files: a table of anyone's, or where an earlier run ended.

#include <gtest/gtest.h>

#include <limits>

#include "kalaba/block.hpp"
#include "output/netcdf_file.hpp"
#include "scenarios/failure.hpp"

namespace kalaba {
namespace {

/// Three members with L, and x and z at two saved times: time + 10 component + 100 member.
void write_run(const std::string& path, double last_length = 3) {
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

}  // namespace
}  // namespace kalaba
