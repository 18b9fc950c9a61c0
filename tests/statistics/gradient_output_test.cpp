#include <gtest/gtest.h>
#include <netcdf.h>

#include <fstream>
#include <iterator>

#include "kalaba/statistics.hpp"
#include "output/csv/statistics_csv.hpp"
#include "output/netcdf/archive.hpp"
#include "output/netcdf/netcdf_statistics.hpp"
#include "output/outputs.hpp"
#include "output_data/opened_netcdf.hpp"
#include "statistics/all_kinds.hpp"
#include "statistics/same_bits.hpp"

namespace kalaba {
namespace {

using NetcdfGradients = OpenedNetcdf;

TEST_F(NetcdfGradients, AreAlongSensitivities) {
  FakeRun run;
  run.members = 1000;
  run.fields = {Field::energy};
  ask_for_everything(run);
  run.fields.add(Field::w);
  run.fields.add(Field::w_sensitivity);
  open(run);
  EXPECT_EQ(dimensions_of("w_mean_gradient"), (Names{"sensitivity", "time", "rate"}));
  EXPECT_EQ(dimensions_of("energy_variance_gradient"), (Names{"sensitivity", "time"}));
  EXPECT_EQ(dimensions_of("energy_gradient_count"), (Names{"time"}));
  EXPECT_EQ(dimensions_of("w_quantile_gradient"), (Names{"quantile", "sensitivity", "time", "rate"}));
  const auto units = [&](const std::string& name) {
    std::array<char*, 4> texts = {};
    EXPECT_EQ(nc_get_att_string(id_, variable(name), "component_units", texts.data()), NC_NOERR) << name;
    const std::vector<std::string> found(texts.begin(), texts.end());
    nc_free_string(texts.size(), texts.data());
    return found;
  };
  EXPECT_EQ(units("w_std_gradient"), (Names{"m/s/kg", "rad/s/kg", "m/s/s", "rad/s/s"}));
  EXPECT_EQ(units("w_variance_gradient"), (Names{"(m/s)^2/kg", "(rad/s)^2/kg", "(m/s)^2/s", "(rad/s)^2/s"}));
  EXPECT_NE(text("w_quantile_gradient", "comment").find("n^(4/5)"), std::string::npos);
  double share = 0;
  ASSERT_EQ(nc_get_att_double(id_, variable("w_quantile_gradient"), "sampled_share", &share), NC_NOERR);
  EXPECT_EQ(share, 1);
  StatisticsSink collected;
  collected.finish(run.feed(collected));
  const EnsembleStatistics read = statistics_of(Archive(path_));
  EXPECT_EQ(read.along, (Names{"parameters.m", "parameters.time"}));
  expect_same_bits(read, collected.result());
  EXPECT_EQ(statistics_table(read), statistics_table(collected.result()));
}

TEST(CsvGradients, NameWhatTheyAreAlong) {
  const TemporaryFolder folder;
  FakeRun run;
  run.members = 4;
  run.block_members = 4;
  run.times = {0};
  run.trajectories = false;
  run.system.sensitivities = {{"parameters.m", "kg", 0, ""}, {"parameters.time", "s", 0, ""}};
  run.fields = {Field::energy, Field::energy_sensitivity};
  run.statistics = {{Statistic::quantiles, Statistic::gradient}, {0.5}};
  run.value = [](Field field, std::size_t along, long member, double) {
    const auto number = static_cast<double>(member);
    return field == Field::energy ? number : along == 0 ? 2 * number : 3;
  };
  run.status = [](long, double) { return Status::ok; };
  for (const auto& sink : open_outputs(folder / "run.csv", {}, run.info().options)) sink->finish(run.feed(*sink));
  std::ifstream stream(folder / "run.csv", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(text.substr(0, text.find(",sensitivity_")),
            "time,ok_members,energy_count,energy_q0.5,energy_gradient_count,"
            "energy_mean_gradient[parameters.m],energy_variance_gradient[parameters.m],"
            "energy_std_gradient[parameters.m],energy_q0.5_gradient[parameters.m],"
            "energy_mean_gradient[parameters.time],energy_variance_gradient[parameters.time],"
            "energy_std_gradient[parameters.time],energy_q0.5_gradient[parameters.time]");
  EXPECT_NE(text.find("\n0,4,4,1.5,4,3,5,2.23606797749979,3,3,0,0,3,"), std::string::npos) << text;
}

}  // namespace
}  // namespace kalaba
