#include <gtest/gtest.h>
#include <netcdf.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "kalaba/statistics.hpp"
#include "output/base/parameter_names.hpp"
#include "output/base/reader.hpp"
#include "output/csv/statistics_csv.hpp"
#include "output/netcdf/archive.hpp"
#include "output/netcdf/netcdf_statistics.hpp"
#include "output/outputs.hpp"
#include "output_data/opened_netcdf.hpp"
#include "report/text/summary.hpp"
#include "scenarios/failure.hpp"
#include "statistics/all_kinds.hpp"
#include "statistics/plain.hpp"
#include "statistics/same_bits.hpp"

namespace kalaba {
namespace {

FakeRun cart() {
  FakeRun run;
  run.members = 1000;
  run.block_members = 300;
  run.fields = {Field::q, Field::energy};
  run.statistics = {{Statistic::mean, Statistic::std, Statistic::min, Statistic::max, Statistic::quantiles},
                    {0.25, 0.5}};
  run.status = [](long member, double time) {
    return time > 0.25 && member % 4 == 3 ? Status::not_converged : Status::ok;
  };
  return run;
}

std::vector<double> column(const FakeRun& run, Field field, std::size_t component, double time) {
  std::vector<double> values;
  for (long member = 0; member < run.members; ++member) {
    if (run.status(member, time) == Status::ok) values.push_back(run.value(field, component, member, time));
  }
  return values;
}

using NetcdfStatisticsFile = OpenedNetcdf;

TEST_F(NetcdfStatisticsFile, HoldsTheStatisticsOfTheMembersThatAreOk) {
  const FakeRun run = cart();
  open(run);
  EXPECT_EQ(numbers("ok_members"), (std::vector<double>{1000, 750, 750}));
  EXPECT_EQ(numbers("q_count"), (std::vector<double>{1000, 1000, 1000, 750, 750, 750, 750, 750, 750}));
  EXPECT_EQ(numbers("quantile"), (std::vector<double>{0.25, 0.5}));
  for (std::size_t time = 0; time < 3; ++time) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::vector<double> values = column(run, Field::q, i, run.times[time]);
      const Moments plain = plain_moments(values);
      const std::size_t place = 3 * time + i;
      EXPECT_NEAR(numbers("q_mean")[place], plain.mean, 1e-14);
      EXPECT_NEAR(numbers("q_std")[place], std::sqrt(plain.squares / plain.count), 1e-14);
      EXPECT_EQ(numbers("q_min")[place], plain.least);
      EXPECT_EQ(numbers("q_max")[place], plain.greatest);
      EXPECT_NEAR(numbers("q_quantile")[place], plain_quantile(values, 0.25), 1e-14);
      EXPECT_NEAR(numbers("q_quantile")[9 + place], plain_quantile(values, 0.5), 1e-14);
    }
    EXPECT_NEAR(numbers("energy_mean")[time], plain_moments(column(run, Field::energy, 0, run.times[time])).mean,
                1e-13);
  }
}

TEST_F(NetcdfStatisticsFile, NamesDimensionsAndUnits) {
  FakeRun run = cart();
  run.system.parameters.push_back({"q_mean", "m", 0, "of a taken name"});
  open(run);
  EXPECT_EQ(dimensions_of("q_mean"), (Names{"time", "coordinate"}));
  EXPECT_EQ(dimensions_of("q_quantile"), (Names{"quantile", "time", "coordinate"}));
  EXPECT_EQ(dimensions_of("energy_std"), (Names{"time"}));
  EXPECT_EQ(dimensions_of("energy_quantile"), (Names{"quantile", "time"}));
  EXPECT_EQ(dimensions_of("ok_members"), (Names{"time"}));
  EXPECT_EQ(dimensions_of("parameter_q_mean"), (Names{"member"}));
  EXPECT_EQ(text("energy_std", "units"), "J");
  EXPECT_EQ(text("energy_std", "cell_methods"), "member: standard_deviation");
  EXPECT_EQ(text("q_mean", "long_name"), "mean of coordinates over the ok members");
  std::array<char*, 3> units = {};
  ASSERT_EQ(nc_get_att_string(id_, variable("q_quantile"), "component_units", units.data()), NC_NOERR);
  EXPECT_STREQ(units[2], "rad");
  nc_free_string(3, units.data());
  double error = -1;
  ASSERT_EQ(nc_get_att_double(id_, variable("quantile"), "rank_error", &error), NC_NOERR);
  EXPECT_EQ(error, 0);
  EXPECT_EQ(open_reader(path_)->contents().columns.size(), 4U);  // columns for plots are unchanged
}

/// A file with everything, and parameters that are called as what another file has.
TEST_F(NetcdfStatisticsFile, KeepsItsNamesForItself) {
  FakeRun run = cart();
  ask_for_everything(run);
  run.fields = every_field();
  run.fields.add_component(Field::q, "a");
  run.fields.add_component(Field::multipliers, "lambda_2");
  run.events = {{.name = "stop", .when = "speed"}};
  for (const char* name : {"initial_a", "projected_spin", "event_q", "energy", "lyapunov_exponents_mean", "w_0",
                           "energy_loss", "status", "parameter_status", "q_coordinate", "reaction_unit"}) {
    run.system.parameters.push_back({name, "m", 0, ""});
  }
  open(run);
  const Archive archive(path_);
  std::vector<std::string> parameters;
  for (const Variable& each : archive.labels().parameters) parameters.push_back(each.name);
  EXPECT_EQ(parameters, (Names{"m", "parameter_time", "parameter_initial_a", "parameter_projected_spin",
                               "parameter_event_q", "parameter_energy", "parameter_lyapunov_exponents_mean", "w_0",
                               "energy_loss", "parameter_parameter_status", "parameter_status",
                               "parameter_q_coordinate", "parameter_reaction_unit"}));
  for (const FileVariable& each : archive.inventory().variables) {
    const bool is_parameter = std::ranges::count(parameters, each.name) > 0;
    EXPECT_NE(is_own_name(each.name), is_parameter) << each.name;
  }
}

TEST_F(NetcdfStatisticsFile, HoldsWhatIsTakenOfTheMembersInputs) {
  FakeRun run = cart();
  ask_for_everything(run);
  open(run);
  EXPECT_EQ(dimensions_of("q_correlation"), (Names{"variable", "time", "coordinate"}));
  EXPECT_EQ(dimensions_of("energy_correlation"), (Names{"variable", "time"}));
  EXPECT_EQ(dimensions_of("q_group_mean"), (Names{"group", "time", "coordinate"}));
  EXPECT_EQ(dimensions_of("energy_group_count"), (Names{"group", "time"}));
  EXPECT_EQ(dimensions_of("energy_histogram"), (Names{"time", "bin"}));
  EXPECT_EQ(dimensions_of("energy_bin_edge"), (Names{"bin_edge"}));
  EXPECT_FALSE(has("q_histogram") || has("q_below"));
  EXPECT_FALSE(has("q_variance_gradient"));
  EXPECT_EQ(numbers("group"), (std::vector<double>{-1, 0, 1}));
  EXPECT_EQ(text("group", "units"), "s");
  EXPECT_EQ(text("energy_bin_edge", "units"), "J");
  EXPECT_EQ(text("energy_correlation", "units"), "1");
  EXPECT_EQ(text("energy_group_mean", "long_name"), "mean of energy over the ok members of the group");
  StatisticsSink collected;
  collected.finish(run.feed(collected));
  const EnsembleStatistics read = statistics_of(Archive(path_));
  EXPECT_EQ(read.inputs, std::vector<std::string>{"parameters.m"});
  expect_same_bits(read, collected.result());
}

TEST_F(NetcdfStatisticsFile, HoldsThoseOfEveryAgentOfSwarms) {
  FakeRun run = cart();
  ask_for_everything(run);
  run.system.agents = 4;
  run.system.has_energy = false;
  run.fields = {Field::q, Field::residual};
  std::erase(run.statistics.kinds, Statistic::gradient);  // agents have no sensitivities
  run.statistics.histograms = {{"b", 0, 1}};
  open(run);
  EXPECT_EQ(dimensions_of("q_mean"), (Names{"time", "coordinate", "agent"}));
  EXPECT_EQ(dimensions_of("q_bin_edge"), (Names{"coordinate", "agent", "bin_edge"}));
  StatisticsSink collected;
  collected.finish(run.feed(collected));
  const EnsembleStatistics read = statistics_of(Archive(path_));
  expect_same_bits(read, collected.result());
  EXPECT_EQ(statistics_table(read), statistics_table(collected.result()));
}

TEST_F(NetcdfStatisticsFile, HoldsThoseOfSavedComponents) {
  FakeRun run = cart();
  ask_for_everything(run);
  std::erase(run.statistics.kinds, Statistic::gradient);
  run.statistics.histograms = {{"angle", 0, 1}};
  run.fields = some_components();
  open(run);
  EXPECT_EQ(dimensions_of("q_mean"), (Names{"time", "q_coordinate"}));
  EXPECT_EQ(dimensions_of("q_bin_edge"), (Names{"q_coordinate", "bin_edge"}));
  StatisticsSink collected;
  collected.finish(run.feed(collected));
  const EnsembleStatistics read = statistics_of(Archive(path_));
  ASSERT_EQ(read.fields.size(), 4U);
  EXPECT_EQ(read.fields[0].layout.components, (std::vector<std::string>{"a", "angle"}));
  expect_same_bits(read, collected.result());
  EXPECT_EQ(statistics_table(read), statistics_table(collected.result()));
}

TEST_F(NetcdfStatisticsFile, HoldsOnlyWhatIsAskedFor) {
  FakeRun run = cart();
  run.statistics.kinds = {Statistic::std};
  open(run);
  EXPECT_TRUE(has("q") && has("q_std") && has("q_count") && has("ok_members"));
  EXPECT_FALSE(has("q_mean") || has("q_quantile") || has("quantile"));
  EXPECT_EQ(nc_close(id_), NC_NOERR);
  run.statistics.kinds.clear();
  open(run);
  EXPECT_FALSE(has("ok_members") || has("q_count"));
}

TEST_F(NetcdfStatisticsFile, WithoutTrajectoriesIsSmallForAnyNumberOfMembers) {
  FakeRun run = cart();
  run.trajectories = false;
  run.members = 100'000'000;
  run.stop_before_member = 1200;
  open(run);
  EXPECT_FALSE(has("q") || has("status") || has("failure_time") || has("m"));
  EXPECT_EQ(numbers("ok_members"), (std::vector<double>{1200, 900, 900}));
  EXPECT_LT(std::filesystem::file_size(path_), 100'000U);
  const auto reader = open_reader(path_);
  EXPECT_EQ(reader->contents().members, 100'000'000);
  EXPECT_TRUE(reader->contents().columns.empty());
}

std::string written(const FakeRun& run, const std::string& path) {
  for (const auto& sink : open_outputs(path, {}, run.info().options)) sink->finish(run.feed(*sink));
  const std::vector<std::string> paths = output_paths(path, run.info().options);
  std::ifstream stream(paths.size() > 1 ? paths[1] : paths[0], std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(CsvStatistics, AreATableOfTheirOwn) {
  const TemporaryFolder folder;
  FakeRun run = cart();
  run.members = 4;
  run.times = {0, 1};
  run.value = [](Field, std::size_t component, long member, double time) {
    return time == 0 ? static_cast<double>(component) + static_cast<double>(member) : std::nan("");
  };
  const std::string energy = "0,4,4,1.5,1.118033988749895,0,3,0.75,1.5\n1,3,0,NaN,NaN,NaN,NaN,NaN,NaN\n";
  run.fields = {Field::energy};
  EXPECT_EQ(
      written(run, folder / "run.csv"),
      "time,ok_members,energy_count,energy_mean,energy_std,energy_min,energy_max,energy_q0.25,energy_q0.5\n" + energy);
  std::vector<std::string> names = folder.names();
  std::ranges::sort(names);
  EXPECT_EQ(names,
            (std::vector<std::string>{"run.csv", "run.csv.checksum", "run.members.csv", "run.members.csv.checksum",
                                      "run.statistics.csv", "run.statistics.csv.checksum"}));
  EXPECT_EQ(open_reader(folder / "run.csv")->contents().members, 4);

  run.trajectories = false;
  run.statistics = {{Statistic::max}, {}};
  run.fields = {Field::q};
  EXPECT_EQ(
      written(run, folder / "alone.csv"),
      "time,ok_members,a_count,a_max,b_count,b_max,angle_count,angle_max\n0,4,4,3,4,4,4,5\n1,3,0,NaN,0,NaN,0,NaN\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "alone.statistics.csv"));
}

TEST(CsvStatistics, NameInputsGroupsAndBins) {
  const TemporaryFolder folder;
  FakeRun run = cart();
  ask_for_everything(run);
  run.members = 6;
  run.block_members = 6;
  run.times = {0};
  run.trajectories = false;
  run.statistics.kinds = {Statistic::mean, Statistic::histogram, Statistic::correlation};
  run.statistics.bins = 2;
  run.statistics.histograms = {{"energy", 0, 4}};
  run.fields = {Field::energy};
  run.parameter = [](std::size_t parameter, long member) {
    return parameter == 0 ? static_cast<double>(member) : static_cast<double>(member % 3) - 1;
  };
  run.value = [](Field, std::size_t, long member, double) { return static_cast<double>(member); };
  run.status = [](long, double) { return Status::ok; };
  EXPECT_EQ(written(run, folder / "run.csv"),
            "time,ok_members,energy_count,energy_mean,energy_correlation[parameters.m],"
            "energy_count[parameters.time=-1],energy_mean[parameters.time=-1],"
            "energy_count[parameters.time=0],energy_mean[parameters.time=0],"
            "energy_count[parameters.time=1],energy_mean[parameters.time=1],"
            "energy_below,energy_bin_0,energy_bin_2,energy_above_4\n"
            "0,6,6,2.5,1,2,1.5,2,2.5,2,3.5,0,2,3,1\n");
}

TEST(CsvStatistics, HaveEveryTimesBins) {
  const TemporaryFolder folder;
  FakeRun run = cart();
  run.members = 4;
  run.block_members = 4;
  run.times = {0, 1};
  run.trajectories = false;
  run.fields = {Field::q};
  run.statistics = {.kinds = {Statistic::histogram}, .bins = 2, .histograms = {{"a", 0, 4}, {"angle", 2, 6}}};
  run.value = [](Field, std::size_t component, long member, double time) {
    return static_cast<double>(component + static_cast<std::size_t>(member)) + (component == 2 ? 2 * time : time);
  };
  run.status = [](long, double) { return Status::ok; };
  EXPECT_EQ(written(run, folder / "run.csv"),
            "time,ok_members,a_count,a_below,a_bin_0,a_bin_2,a_above_4,b_count,"
            "angle_count,angle_below,angle_bin_2,angle_bin_4,angle_above_6\n"
            "0,4,4,0,2,2,0,4,4,0,2,2,0\n1,4,4,0,1,3,0,4,4,0,0,3,1\n");
}

TEST(StatisticsText, SaysWhatAndHowWell) {
  const SystemInfo system = fake_system();
  Options options = cart().info().options;
  options.time = {0, 1, 0.5, 1};
  EXPECT_EQ(statistics_text(system, options, 1000),
            "mean, std, min, max, quantiles of 4 numbers at 3 times; quantiles are exact");
  EXPECT_EQ(statistics_text(system, options, 100'000'000),
            "mean, std, min, max, quantiles of 4 numbers at 3 times; quantiles are within 0.14 % in rank");
  options.statistics.kinds = {Statistic::mean};
  options.fields = {Field::energy};
  EXPECT_EQ(statistics_text(system, options, 1000), "mean of 1 number at 3 times");
}

}  // namespace
}  // namespace kalaba
