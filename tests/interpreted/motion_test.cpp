// Models interpreted on packs agree with the reference, with bitwise identical results for any other members.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "backend/interpreted/interpreted_runner.hpp"
#include "compiled/travel.hpp"
#include "formula/make_system.hpp"
#include "formula/models.hpp"
#include "formula/motion.hpp"
#include "members_near.hpp"

namespace kalaba {

const std::vector<System>& catalogue() {  // there is none in this program
  static const std::vector<System> none;
  return none;
}

namespace formula {
namespace {

std::unique_ptr<Runner> interpreted(const System& system, const Options& options) {
  std::string problem;
  auto runner = interpreted_runner(system, options, problem);
  if (runner == nullptr && !system.info.servo) ADD_FAILURE() << system.info.name << ": " << problem;
  return runner;
}

FieldSet fields_to_compare() {
  FieldSet fields;
  for (const Field field : all_fields) fields.add(field);
  return fields;
}

struct Seen {
  Block block;
  std::vector<Observation> observations;
};

/// Results after twice the number of steps, with an observation between two more.
Seen travelled(Runner& runner, const Block& start, const Options& options, long steps) {
  Seen seen{start, {}};
  const TimeGrid time = {.start = 0, .end = static_cast<double>(3 * steps) * options.time.dt, .dt = options.time.dt};
  runner.start(seen.block, 0, options.project_start);
  for (const long step : {0L, steps}) {
    runner.advance(seen.block, time, step, steps);
    runner.observe(seen.block, time.at(step + steps), fields_to_compare(), seen.observations.emplace_back());
    runner.observe_between(seen.block, time, step + steps, time.at(step + steps) + 0.3 * time.dt, fields_to_compare(),
                           seen.observations.emplace_back());
  }
  return seen;
}

void expect_near(const Observation& found, const Observation& expected, long members, long stride) {
  for (const Field field : all_fields) {
    if (field == Field::sigma_dropped || field == Field::residual || field == Field::sigma_kept) continue;
    const auto& f = found.values[static_cast<std::size_t>(field)];
    const auto& e = expected.values[static_cast<std::size_t>(field)];
    ASSERT_EQ(f.size(), e.size()) << field_name(field);
    double size = 1;
    for (const double value : e) size = std::isfinite(value) ? std::max(size, std::abs(value)) : size;
    for (std::size_t i = 0; i < f.size(); ++i) {
      if (static_cast<long>(i) % stride >= members || (std::isnan(f[i]) && std::isnan(e[i]))) continue;
      EXPECT_NEAR(f[i], e[i], 1e-8 * size) << field_name(field) << ' ' << i;
    }
  }
}

struct Way {
  PseudoInverse inverse;
  Integrator integrator;
  int models;  ///< at least, that there are loops for
};
class AnInterpretedModel : public testing::TestWithParam<Way> {};

TEST_P(AnInterpretedModel, MovesAsTheReferenceHasIt) {
  const auto is_that = [](const InterpretedLoop& loop) {
    return loop.pseudo_inverse == GetParam().inverse && loop.integrator == GetParam().integrator;
  };
  if (std::ranges::none_of(interpreted_loops(), is_that)) GTEST_SKIP() << "this build leaves its loops out";
  int compared = 0;
  for (Draft& draft : all_models()) {
    const System system = make_system(draft.graph, draft.statement);
    SCOPED_TRACE(system.info.name);
    Options options = options_of(system.info);
    options.method.pseudo_inverse = GetParam().inverse;
    options.method.integrator = GetParam().integrator;
    std::string problem;
    const auto packs = interpreted_runner(system, options, problem);
    if (packs == nullptr) continue;
    ++compared;
    const Block start = members_near(system.info, 5);
    const Seen found = travelled(*packs, start, options, 40);
    const Seen expected = travelled(*system.reference(options), start, options, 40);
    ASSERT_EQ(found.observations.size(), expected.observations.size());
    for (std::size_t i = 0; i < found.observations.size(); ++i) {
      expect_near(found.observations[i], expected.observations[i], start.members, start.stride);
    }
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_EQ(found.block.status[k], expected.block.status[k]) << k;
      EXPECT_EQ(found.block.accepted[k], expected.block.accepted[k]) << k;
    }
  }
  EXPECT_GE(compared, GetParam().models);
}
INSTANTIATE_TEST_SUITE_P(By, AnInterpretedModel,
                         testing::Values(Way{PseudoInverse::svd, Integrator::rk4, 9},
                                         Way{PseudoInverse::qr, Integrator::rk4, 7},
                                         Way{PseudoInverse::ldlt, Integrator::rk4, 9},
                                         Way{PseudoInverse::svd, Integrator::dopri5, 5},
                                         Way{PseudoInverse::svd, Integrator::dop853, 5}));

class AnInterpretedInverse : public testing::TestWithParam<PseudoInverse> {};
INSTANTIATE_TEST_SUITE_P(By, AnInterpretedInverse, testing::Values(PseudoInverse::svd, PseudoInverse::ldlt));

TEST_P(AnInterpretedInverse, HasTheirFigures) {
  for (Draft& draft : all_models()) {
    const System system = make_system(draft.graph, draft.statement);
    if (system.info.servo || draft.statement.singular_metric) continue;
    expect_figures(system, [&](Options options) {
      options.method.pseudo_inverse = GetParam();
      return interpreted(system, options);
    });
  }
}

/// Single members, several members, several threads, and divided runs.
TEST_P(AnInterpretedInverse, HasTheSameBitsWhateverElseRuns) {
  for (Draft& draft : all_models()) {
    const System system = make_system(draft.graph, draft.statement);
    if (system.info.servo || draft.statement.singular_metric) continue;
    SCOPED_TRACE(system.info.name);
    Options options = options_of(system.info);
    options.method.pseudo_inverse = GetParam();
    const long members = 150;
    const Block all = members_near(system.info, members);
    options.threads = 3;
    const Seen expected = travelled(*interpreted(system, options), all, options, 30);
    options.threads = 1;
    for (const long member : {0L, 37L, 149L}) {
      Block one = members_near(system.info, 1);
      const auto copy = [&](auto& to, const auto& from) {
        const auto rows = to.size() / static_cast<std::size_t>(one.stride);
        for (std::size_t row = 0; row < rows; ++row) {
          to[row * static_cast<std::size_t>(one.stride)] =
              from[row * static_cast<std::size_t>(all.stride) + static_cast<std::size_t>(member)];
        }
      };
      copy(one.parameters, all.parameters);
      copy(one.q, all.q);
      copy(one.w, all.w);
      const Seen found = travelled(*interpreted(system, options), one, options, 30);
      for (std::size_t i = 0; i < found.observations.size(); ++i) {
        for (const Field field : all_fields) {
          const auto& f = found.observations[i].values[static_cast<std::size_t>(field)];
          const auto& e = expected.observations[i].values[static_cast<std::size_t>(field)];
          for (std::size_t row = 0; row * static_cast<std::size_t>(one.stride) < f.size(); ++row) {
            const double mine = f[row * static_cast<std::size_t>(one.stride)];
            const double in_company = e[row * static_cast<std::size_t>(all.stride) + static_cast<std::size_t>(member)];
            EXPECT_EQ(std::memcmp(&mine, &in_company, sizeof mine), 0)
                << field_name(field) << ' ' << row << " of member " << member << ": " << mine << ' ' << in_company;
          }
        }
      }
    }
  }
}

/// An event of a coordinate that stops a member, and one of a multiplier that is recorded.
TEST(InterpretedModels, HaveTheEventsOfTheReference) {
  Draft draft = bead();
  const System system = make_system(draft.graph, draft.statement);
  Options options = options_of(system.info);
  options.watch.count = 2;
  options.watch.multipliers = true;
  options.watch.events[0] = {Crossing::any,
                             EventAction::record,
                             {3, {{Operation::coordinate, 0, 0}, {Operation::number, 0, 0.85}, {Operation::subtract}}}};
  const Block start = members_near(system.info, 5, 2);
  const auto multipliers = [](const Observation& seen) { return seen.values[static_cast<int>(Field::multipliers)]; };
  Options unwatched = options;
  unwatched.watch.count = 0;
  unwatched.watch.multipliers = false;
  const Seen plain = travelled(*system.reference(unwatched), start, options, 400);
  const double half = (multipliers(plain.observations[0])[0] + multipliers(plain.observations[2])[0]) / 2;
  options.watch.events[1] = {Crossing::any,
                             EventAction::stop,
                             {3,
                              {{Operation::observed, WatchedRows{0, 1}.multiplier(0), 0},
                               {Operation::number, 0, half},
                               {Operation::subtract}}}};
  const auto packs = interpreted(system, options);
  const auto reference = system.reference(options);
  const Seen found = travelled(*packs, start, options, 400);
  const Seen expected = travelled(*reference, start, options, 400);
  bool any_recorded = false;
  bool any_stopped = false;
  const auto own_row = static_cast<std::size_t>(start.stride);  // the first one is the core's, of when a member ended
  for (std::size_t i = own_row; i < expected.block.events.size(); ++i) {
    if (static_cast<long>(i) % start.stride >= start.members) continue;
    const double e = expected.block.events[i];
    if (std::isnan(e)) {
      EXPECT_TRUE(std::isnan(found.block.events[i])) << i;
    } else {
      EXPECT_NEAR(found.block.events[i], e, 1e-8) << i;
    }
    any_recorded = any_recorded || (static_cast<long>(i) / start.stride == EventRows{2, 2}.count(0) && e > 0);
  }
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(found.block.status[k], expected.block.status[k]);
    if (expected.block.status[k] != Status::stopped) continue;
    EXPECT_NEAR(found.block.failure_time[k], expected.block.failure_time[k], 1e-8);
    any_stopped = true;
  }
  EXPECT_TRUE(any_recorded);
  EXPECT_TRUE(any_stopped);
}

TEST(InterpretedModels, AreRefusedWithTheReason) {
  Draft draft = bead();
  const System system = make_system(draft.graph, draft.statement);
  const auto problem_of = [&](const Options& options) {
    std::string problem;
    EXPECT_EQ(interpreted_runner(system, options, problem), nullptr);
    return problem;
  };
  Options options = options_of(system.info);
  options.precision = Precision::single_precision;
  EXPECT_EQ(problem_of(options), "in single precision");
  options = options_of(system.info);
  options.sensitivities.of = {0};
  EXPECT_EQ(problem_of(options), "it has sensitivities");
  options = options_of(system.info);
  options.method.integrator = Integrator::dopri5;
  options.method.absolute_tolerance = 0;
  EXPECT_EQ(problem_of(options), "without an absolute tolerance");
}

}  // namespace
}  // namespace formula
}  // namespace kalaba
