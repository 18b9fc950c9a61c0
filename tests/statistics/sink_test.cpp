#include <gtest/gtest.h>
#include <malloc.h>

#include <cmath>

#include "kalaba/error.hpp"
#include "kalaba/statistics.hpp"
#include "output_data/fake_run.hpp"
#include "statistics/all_kinds.hpp"
#include "statistics/plain.hpp"
#include "statistics/same_bits.hpp"
#include "support/error_of.hpp"

namespace kalaba {
namespace {

/// A cart whose members fail one after another, and whose energy is not always a number.
FakeRun cart(long members) {
  FakeRun run;
  run.members = members;
  run.block_members = members;
  run.fields = {Field::q, Field::residual, Field::energy};
  ask_for_everything(run);
  run.value = [](Field field, std::size_t component, long member, double time) {
    const double value = fake_value(field, component, member, time);
    return field == Field::energy && member % 3 == 0 ? (member % 2 == 0 ? nan_number : HUGE_VAL) : value;
  };
  run.status = fails_later;
  return run;
}

/// The numbers that count, as a person would gather them.
std::vector<double> column(const FakeRun& run, Field field, std::size_t component, double time) {
  std::vector<double> values;
  for (long member = 0; member < run.members; ++member) {
    if (run.status(member, time) == Status::ok) values.push_back(run.value(field, component, member, time));
  }
  return counted(values);
}

TEST(Statistics, AreThoseOfTheMembersThatCount) {
  const FakeRun run = cart(10'000);
  const EnsembleStatistics found = statistics_of(run);
  EXPECT_EQ(found.times, run.times);
  EXPECT_EQ(found.ok_members, (std::vector<long>{10'000, 4401, 4401}));
  EXPECT_EQ(found.rank_error, 0);
  ASSERT_EQ(found.fields.size(), 4U);
  for (const FieldStatistics& field : found.fields) {
    const std::size_t components = field.layout.components.size();
    for (std::size_t place = 0; place < field.count.size(); ++place) {
      const double time = run.times[place / components];
      const std::vector<double> values = column(run, field.layout.field, place % components, time);
      const Moments plain = plain_moments(values);
      const double deviation = std::sqrt(plain.squares / plain.count);
      EXPECT_EQ(field.count[place], plain.count);
      EXPECT_NEAR(field.mean[place], plain.mean, 1e-13 * (std::abs(plain.mean) + deviation));
      EXPECT_NEAR(field.std[place], deviation, 1e-12 * deviation);
      EXPECT_EQ(field.min[place], plain.least);
      EXPECT_EQ(field.max[place], plain.greatest);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(field.quantiles[i * field.count.size() + place], plain_quantile(values, found.quantiles[i]), 1e-14);
      }
    }
  }
}

TEST(Statistics, HaveTheSameBitsForAnyBlocks) {
  const EnsembleStatistics whole = statistics_of(cart(10'000));
  for (const long block_members : {1L, 7L, 64L, 1000L, 4096L}) {
    SCOPED_TRACE(block_members);
    FakeRun run = cart(10'000);
    run.block_members = block_members;
    expect_same_bits(statistics_of(run), whole);
  }
}

TEST(Statistics, OfZerosDoNotKeepTheirSigns) {
  FakeRun run = cart(300);
  run.value = [](Field, std::size_t, long member, double) { return member % 2 == 0 ? 0.0 : -0.0; };
  const EnsembleStatistics found = statistics_of(run);
  for (const double number : {found.fields[0].min[0], found.fields[0].max[0], found.fields[0].quantiles[0]}) {
    EXPECT_EQ(number, 0);
    EXPECT_FALSE(std::signbit(number));
  }
}

TEST(Statistics, OfNobodyAreNaNAndCountedAsZero) {
  FakeRun run = cart(100);
  run.status = [](long, double) { return Status::non_finite; };
  const EnsembleStatistics found = statistics_of(run);
  EXPECT_EQ(found.ok_members, (std::vector<long>{0, 0, 0}));
  EXPECT_EQ(found.rank_error, 0);
  for (const FieldStatistics& field : found.fields) {
    for (const auto* values : {&field.mean, &field.std, &field.min, &field.max, &field.quantiles}) {
      EXPECT_GT(std::ranges::count_if(*values, [](double value) { return std::isnan(value); }), 0);
      EXPECT_EQ(std::ranges::count_if(*values, [](double value) { return !std::isnan(value); }), 0);
    }
    EXPECT_EQ(field.count[0], 0);
  }
}

TEST(Statistics, OfOneMemberAreItself) {
  const EnsembleStatistics found = statistics_of(cart(1));
  const double value = fake_value(Field::q, 0, 0, 0);
  EXPECT_EQ(found.fields[0].std[0], 0);
  for (const auto* values :
       {&found.fields[0].mean, &found.fields[0].min, &found.fields[0].max, &found.fields[0].quantiles}) {
    EXPECT_EQ(values->front(), value);
  }
}

TEST(Statistics, TakeFramesThatADeviceHasReduced) {
  FakeRun run = cart(2 * leaf_members + 10);
  StatisticsSink sink;
  sink.begin(run.info());
  EXPECT_EQ(sink.reduced_plan(), nullptr);  // a device does not have the members' inputs
  run.statistics = {{Statistic::mean, Statistic::std, Statistic::quantiles}};
  run.fields = {Field::q, Field::residual, Field::energy};
  sink.begin(run.info());
  EXPECT_EQ(sink.reduced_plan(), &sink.plan());
  for (std::size_t t = 0; t < run.times.size(); ++t) {
    ReducedFrame frame{static_cast<long>(t), 0, run.members, 0, {}};
    for (long m = 0; m < run.members; ++m) frame.ok_members += run.status(m, run.times[t]) == Status::ok ? 1 : 0;
    frame.components.resize(5);
    for (auto& component : frame.components) component.leaves.resize(3);
    frame.components[3].leaves = {{2, 0.5, 0.5, 0, 1}, {}, {2, 2.5, 0.5, 2, 3}};
    frame.components[3].nodes = {{1, 0, {4, 4, 1, 0, 0}, {0, 1, 2, 3}}};
    sink.write_reduced(frame);
    EXPECT_THROW(sink.write_reduced(frame), Error);  // the members are in already
  }
  sink.finish({});
  EXPECT_EQ(sink.result().ok_members, statistics_of(run).ok_members);
  const FieldStatistics& residual = sink.result().fields[1];
  EXPECT_EQ(residual.mean[0], 1.5);
  EXPECT_EQ(residual.std[0], std::sqrt(1.25));
  EXPECT_EQ(residual.quantiles[3], 1.5);
  EXPECT_TRUE(std::isnan(sink.result().fields[0].mean[0]));
}

/// Statistics of the saved components, taken from those of whole fields: [...][time][component][agent].
std::vector<double> chosen(const std::vector<double>& whole, const FieldLayout& all, const FieldLayout& some) {
  std::vector<double> values;
  for (std::size_t first = 0; first < whole.size(); first += all.size()) {
    for (std::size_t i = 0; i < some.size(); ++i) values.push_back(whole[first + some.row(i)]);
  }
  return values;
}

TEST(Statistics, OfSavedComponentsAreThoseOfTheWholeField) {
  for (const long agents : {0L, 3L}) {
    FakeRun run = cart(500);
    run.system.agents = agents;
    run.system.has_energy = agents == 0;
    run.statistics.histograms = {{"angle", 0, 1}};
    run.fields = {Field::q, Field::w};
    std::erase(run.statistics.kinds, Statistic::gradient);
    if (agents == 0) {
      run.statistics.kinds.push_back(Statistic::gradient);
      run.system.sensitivities = {{"parameters.m", "kg", 0, ""}, {"parameters.time", "s", 0, ""}};
      run.fields.add(Field::q_sensitivity);
    }
    const EnsembleStatistics whole = statistics_of(run);
    SavedFields fields = run.fields;
    fields.add_component(Field::q, "angle");
    fields.add_component(Field::q, "a");
    fields.add_component(Field::w, "spin");
    run.fields = fields;
    const EnsembleStatistics found = statistics_of(run);
    ASSERT_EQ(found.fields.size(), whole.fields.size());
    for (std::size_t field = 0; field < 2; ++field) {
      using F = FieldStatistics;
      const FieldStatistics& of = found.fields[field];
      for (const auto values :
           {&F::count, &F::mean, &F::std, &F::min, &F::max, &F::quantiles, &F::correlation, &F::group_mean,
            &F::gradient_count, &F::mean_gradient, &F::variance_gradient, &F::std_gradient, &F::quantile_gradient}) {
        EXPECT_EQ(bits_of(of.*values),
                  bits_of(chosen(whole.fields[field].*values, whole.fields[field].layout, of.layout)));
      }
    }
    EXPECT_EQ(found.fields[0].histogram.size(), whole.fields[0].histogram.size() / 3 * 2);
    EXPECT_EQ(found.fields[0].mean.size(), 3 * 2 * static_cast<std::size_t>(std::max(agents, 1L)));
  }
}

TEST(Statistics, TakeSavedComponentsFromAReducedFrame) {
  FakeRun run = cart(2 * leaf_members + 10);
  run.statistics = {{Statistic::mean}};
  run.fields = some_components();
  StatisticsSink sink;
  sink.begin(run.info());
  for (std::size_t t = 0; t < run.times.size(); ++t) {
    ReducedFrame frame{static_cast<long>(t), 0, run.members, run.members, {}};
    frame.components.resize(3 + 2 + 2 + 1);  // a device reduces whole fields
    for (std::size_t i = 0; i < frame.components.size(); ++i) {
      const auto value = static_cast<double>(i);
      frame.components[i].leaves.resize(3);
      frame.components[i].leaves[0] = {1, value, 0, value, value};
    }
    sink.write_reduced(frame);
  }
  sink.finish({});
  const std::vector<FieldStatistics>& fields = sink.result().fields;
  EXPECT_EQ(fields[0].mean[0], 0);  // a
  EXPECT_EQ(fields[0].mean[1], 2);  // angle
  EXPECT_EQ(fields[1].mean[0], 4);  // spin
  EXPECT_EQ(fields[2].mean[0], 6);  // lambda_2
  EXPECT_EQ(fields[3].mean[0], 7);  // energy
}

std::string refusal(const FakeRun& run, RunInfo info) {
  StatisticsSink sink;
  info.system = &run.system;
  return test::message_of([&] { sink.begin(info); });
}

TEST(Statistics, RefuseWhatTheyCannotDo) {
  FakeRun run = cart(1'000'000);
  EXPECT_EQ(refusal(run, run.info()), "");
  RunInfo info = run.info();
  info.options.memory_budget = 1e5;
  EXPECT_EQ(
      refusal(run, info),
      "statistics of 7 numbers at 3 saved times: expected to fit 100 kB (solver.memory), found that they need 480 kB; "
      "save fewer times or fields, or raise solver.memory");
  info = run.info();
  info.options.fields = {};
  EXPECT_EQ(refusal(run, info), "statistics: expected fields to take them of, found none that cart has");
  info = run.info();
  info.options.statistics.quantiles = {0.5, 0.1};
  EXPECT_NE(refusal(run, info).find("expected ascending quantiles from 0 to 1, found 0.1"), std::string::npos);
  info.options.statistics.quantiles = {-0.1};
  EXPECT_NE(refusal(run, info).find("found -0.1"), std::string::npos);
}

TEST(Statistics, RefuseFramesOutOfOrder) {
  const FakeRun run = cart(10);
  StatisticsSink sink;
  sink.begin(run.info());
  Block block(2, 3, 2, 5);
  Observation seen;
  block.assign(5, 5);
  sink.begin_block(block);
  EXPECT_THROW(sink.write({0, 0.0, block, seen}), Error);  // no status
  seen.status.resize(64);
  EXPECT_THROW(sink.write({0, 0.0, block, seen}), Error);  // no numbers
  for (auto& values : seen.values) values.resize(3 * 64);
  EXPECT_THROW(sink.write({0, 0.0, block, seen}), Error);  // from member 5 on
  block.assign(0, 5);
  sink.begin_block(block);
  EXPECT_NO_THROW(sink.write({0, 0.0, block, seen}));
}

/// Bytes that the program holds, as the C library counts them (nothing under a sanitizer).
double held_bytes() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

/// Feeds the energies of a run in blocks; the most bytes that the sink held after one.
double most_held(const FakeRun& run, const RunInfo& info, StatisticsSink& sink) {
  Block block(2, 3, 2, run.block_members);
  Observation seen;
  std::vector<double>& values = seen.values[static_cast<std::size_t>(Field::energy)];
  values.resize(static_cast<std::size_t>(run.block_members));
  std::vector<double>& slopes = seen.values[static_cast<std::size_t>(Field::energy_sensitivity)];
  slopes.resize(2 * values.size() + 128);
  seen.status.resize(values.size());
  const double before = held_bytes();
  sink.begin(info);
  double most = 0;
  for (long first = 0; first < run.members; first += run.block_members) {
    block.assign(first, std::min(run.block_members, run.members - first));
    slopes.assign(2 * static_cast<std::size_t>(block.stride), 0.5);
    for (std::size_t m = 0; m < values.size(); ++m) {
      values[m] = std::fmod(0.618033988749895 * static_cast<double>(first + static_cast<long>(m)), 1);
    }
    sink.begin_block(block);
    sink.write({0, 0.0, block, seen});
    most = std::max(most, held_bytes() - before);
  }
  return most;
}

TEST(Statistics, StayWithinTheirMemory) {
  FakeRun run = cart(1'000'000);
  run.times = {0};
  run.fields = {Field::energy, Field::energy_sensitivity};
  RunInfo info = run.info();
  info.options.memory_budget = 1200e3;
  for (const long block_members : {4096L, 5000L}) {
    run.block_members = block_members;
    StatisticsSink sink;
    const double most = most_held(run, info, sink);
    const double inputs = 2 * 8 * static_cast<double>(block_members);  // of the block: a variable and a group
    EXPECT_LE(most, sink.plan().bytes + inputs);
    EXPECT_GE(sink.plan().kept, 1024);
    EXPECT_LE(sink.plan().bytes, 1200e3);
    sink.finish({});
    EXPECT_LE(sink.result().rank_error, sink.plan().rank_error);
    for (std::size_t i = 0; i < 3; ++i) {
      const double share = sink.result().quantiles[i];
      EXPECT_NEAR(sink.result().fields[0].quantiles[i], share, sink.result().rank_error + 1e-5);
    }
  }
}

}  // namespace
}  // namespace kalaba
