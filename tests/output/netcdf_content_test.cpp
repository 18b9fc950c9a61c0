// Content of a netCDF output, read through the C library only.

#include <gtest/gtest.h>
#include <netcdf.h>

#include <array>
#include <cmath>

#include "output_data/opened_netcdf.hpp"

namespace kalaba {
namespace {

class NetcdfContent : public OpenedNetcdf {
 protected:
  void open(const FakeRun& run) { OpenedNetcdf::open(run, {std::string(200'000, 's'), ~0ULL, "1.2.3", "abcdef"}); }
};

TEST_F(NetcdfContent, NamesDimensionsAndUnits) {
  open(FakeRun());
  EXPECT_EQ(dimensions_of("q"), (Names{"time", "coordinate", "member"}));
  EXPECT_EQ(dimensions_of("constraint_force"), (Names{"time", "rate", "member"}));
  EXPECT_EQ(dimensions_of("multipliers"), (Names{"time", "constraint", "member"}));
  EXPECT_EQ(dimensions_of("energy"), (Names{"time", "member"}));
  EXPECT_EQ(dimensions_of("m"), (Names{"member"}));
  EXPECT_EQ(dimensions_of("time"), (Names{"time"}));
  EXPECT_EQ(text("time", "units"), "s");
  EXPECT_EQ(text("m", "units"), "kg");
  EXPECT_EQ(text("m", "long_name"), "mass");
  EXPECT_EQ(text("parameter_time", "units"), "s");
  EXPECT_EQ(text("energy", "units"), "J");
  std::array<char*, 3> labels = {};
  ASSERT_EQ(nc_get_var_string(id_, variable("coordinate"), labels.data()), NC_NOERR);
  EXPECT_STREQ(labels[2], "angle");
  nc_free_string(3, labels.data());
  ASSERT_EQ(nc_get_att_string(id_, variable("q"), "component_units", labels.data()), NC_NOERR);
  EXPECT_STREQ(labels[2], "rad");
  nc_free_string(3, labels.data());
}

TEST_F(NetcdfContent, NamesTheSavedComponentsAlongADimensionOfTheirField) {
  FakeRun run;
  run.fields = some_components();
  open(run);
  EXPECT_EQ(dimensions_of("q"), (Names{"time", "q_coordinate", "member"}));
  EXPECT_EQ(dimensions_of("multipliers"), (Names{"time", "multipliers_constraint", "member"}));
  EXPECT_EQ(dimensions_of("energy"), (Names{"time", "member"}));
  EXPECT_EQ(dimensions_of("multipliers_constraint_unit"), (Names{"multipliers_constraint"}));
  std::array<char*, 2> labels = {};
  ASSERT_EQ(nc_get_var_string(id_, variable("q_coordinate"), labels.data()), NC_NOERR);
  EXPECT_STREQ(labels[0], "a");
  EXPECT_STREQ(labels[1], "angle");
  nc_free_string(2, labels.data());
  ASSERT_EQ(nc_get_var_string(id_, variable("multipliers_constraint"), labels.data()), NC_NOERR);
  EXPECT_STREQ(labels[0], "slip");
  nc_free_string(1, labels.data());
  const std::vector<double> q = numbers("q");
  ASSERT_EQ(q.size(), run.times.size() * 2 * 10);
  EXPECT_EQ(q[10 + 3], fake_value(Field::q, 2, 3, 0));
}

TEST_F(NetcdfContent, TellsWhatBecameOfTheMembers) {
  FakeRun run;
  run.stop_before_member = 8;
  open(run);
  std::array<int, 10> status = {};
  std::array<double, 10> failure_time = {};
  std::array<double, 10> mass = {};
  ASSERT_EQ(nc_get_var_int(id_, variable("status"), status.data()), NC_NOERR);
  ASSERT_EQ(nc_get_var_double(id_, variable("failure_time"), failure_time.data()), NC_NOERR);
  ASSERT_EQ(nc_get_var_double(id_, variable("m"), mass.data()), NC_NOERR);
  EXPECT_EQ(status, (std::array<int, 10>{0, 1, 0, 0, 0, 0, 0, 0, 7, 7}));
  EXPECT_TRUE(std::isnan(failure_time[0]));
  EXPECT_EQ(failure_time[1], 0.25);
  EXPECT_EQ(mass[7], 7.5);
  EXPECT_TRUE(std::isnan(mass[8]));
  double unreached = 0;
  const std::array<std::size_t, 3> last = {2, 0, 9};
  ASSERT_EQ(nc_get_var1_double(id_, variable("q"), last.data(), &unreached), NC_NOERR);
  EXPECT_TRUE(std::isnan(unreached));
  EXPECT_EQ(
      text("status", "flag_meanings"),
      "ok non_finite not_converged inconsistent_constraints singular_constraints stopped step_too_small interrupted "
      "not_assembled constraints_violated too_many_steps too_many_changes "
      "painleve");
  long long finished = 0;
  ASSERT_EQ(nc_get_att_longlong(id_, NC_GLOBAL, "members_finished", &finished), NC_NOERR);
  EXPECT_EQ(finished, 8);
}

TEST_F(NetcdfContent, HoldsEventsWithoutTrajectories) {
  FakeRun run;
  run.trajectories = false;
  run.statistics = {{Statistic::mean}, {}};
  run.events = {{"up", "a"}, {"down", "b"}};
  run.stop_before_member = 8;
  open(run);
  EXPECT_EQ(dimensions_of("event_q"), (Names{"event", "coordinate", "member"}));
  EXPECT_FALSE(has("q"));
  EXPECT_FALSE(has("status"));
  EXPECT_TRUE(has("m"));  // input for the report of events
  const std::vector<double> counts = numbers("event_count");
  const std::vector<double> rates = numbers("event_w");
  ASSERT_EQ(counts.size(), 20U);
  ASSERT_EQ(rates.size(), 40U);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    EXPECT_EQ(counts[i], 0) << i;  // of members that were not reached too
  }
  for (std::size_t i = 0; i < rates.size(); ++i) EXPECT_TRUE(std::isnan(rates[i])) << i;
}

TEST_F(NetcdfContent, HoldsCountsAsIntegersWithoutAFillValue) {
  FakeRun run;
  run.events = {{"up", "a"}};
  run.integrator = Integrator::dopri5;
  run.stop_before_member = 8;
  open(run);
  for (const char* name : {"rank_changes", "singular_passages", "accepted_steps", "rejected_steps", "event_count"}) {
    nc_type type = NC_NAT;
    ASSERT_EQ(nc_inq_vartype(id_, variable(name), &type), NC_NOERR);
    EXPECT_EQ(type, NC_INT64) << name;
    EXPECT_EQ(nc_inq_attlen(id_, variable(name), "_FillValue", nullptr), NC_ENOTATT) << name;
    EXPECT_EQ(numbers(name).back(), 0) << name << " of a member that was not reached";
  }
  for (const char* name : {"member_steps", "rejected_steps", "svd_stages"}) {
    nc_type type = NC_NAT;
    ASSERT_EQ(nc_inq_atttype(id_, NC_GLOBAL, name, &type), NC_NOERR) << name;
    EXPECT_EQ(type, NC_INT64) << name;
  }
}

TEST_F(NetcdfContent, TellsWhereItComesFrom) {
  open(FakeRun());
  EXPECT_EQ(text("", "Conventions"), "CF-1.8");
  EXPECT_EQ(text("", "system"), "cart");
  EXPECT_EQ(text("", "source"), "nobody 2026");
  EXPECT_EQ(text("", "kalaba_version"), "1.2.3");
  EXPECT_EQ(text("", "kalaba_commit"), "abcdef");
  EXPECT_EQ(text("", "device"), "cpu: no threads at all");
  EXPECT_EQ(text("", "backend"), "cpu");
  EXPECT_EQ(text("", "precision"), "double");
  EXPECT_EQ(text("", "created").size(), std::string("2026-01-01T00:00:00Z").size());
  unsigned long long seed = 0;
  ASSERT_EQ(nc_get_att_ulonglong(id_, NC_GLOBAL, "seed", &seed), NC_NOERR);
  EXPECT_EQ(seed, ~0ULL);
  char* scenario = nullptr;
  ASSERT_EQ(nc_get_att_string(id_, NC_GLOBAL, "scenario", &scenario), NC_NOERR);
  EXPECT_EQ(std::string(scenario), std::string(200'000, 's'));
  nc_free_string(1, &scenario);
}

TEST_F(NetcdfContent, LeavesOutWhatTheSystemDoesNotHave) {
  FakeRun run;
  run.system.constraints.clear();
  run.system.parameters.clear();
  run.system.has_energy = false;
  open(run);
  int found = -1;
  EXPECT_EQ(nc_inq_dimid(id_, "constraint", &found), NC_EBADDIM);
  EXPECT_EQ(nc_inq_varid(id_, "multipliers", &found), NC_ENOTVAR);
  EXPECT_EQ(nc_inq_varid(id_, "energy", &found), NC_ENOTVAR);
}

TEST_F(NetcdfContent, VariablesOfMembersLieInOnePiece) {
  FakeRun run;
  run.members = 140'000;
  run.block_members = 50'000;
  run.fields = {Field::q};
  open(run);
  for (const char* name : {"q", "status", "failure_time", "m"}) {
    int storage = -1;
    ASSERT_EQ(nc_inq_var_chunking(id_, variable(name), &storage, nullptr), NC_NOERR);
    EXPECT_EQ(storage, NC_CONTIGUOUS) << name;
  }
}

}  // namespace
}  // namespace kalaba
