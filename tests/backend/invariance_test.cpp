// Reproducibility: on the cpu backend a member's result does not depend on the number of members, its index, the block,
// the threads, the saved fields, the division of the run into saves, or a failing neighbour.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kalaba/ensemble.hpp"
#include "support/affordable_code.hpp"
#include "support/pseudo_inverses.hpp"

namespace kalaba {
namespace {

struct Case {
  const System* system;
  PseudoInverse pseudo_inverse;
  Precision precision;
};

bool is_large(const System& system, std::size_t extent) {
  return std::max(system.info.rates.size(), system.info.constraints.size()) > extent;
}

/// Number of steps of a test: beyond a cold start of the pseudo-inverse, and fewer for a large system.
long steps_of(const System& system) { return is_large(system, 16) ? 18 : 50; }

Options options_of(const Case& c) {
  Options options = default_options(*c.system);
  options.backend = Backend::cpu;
  options.precision = c.precision;
  options.method.pseudo_inverse = c.pseudo_inverse;
  if (c.precision == Precision::single_precision) options.method.rank_tolerance = 1e-4;
  const long steps = steps_of(*c.system);
  const double dt = std::min(1e-3, c.system->info.time.dt);
  options.time = {.start = 0, .end = static_cast<double>(steps) * dt, .dt = dt, .save_every = steps};
  options.threads = 1;
  return options;
}

/// Double precision with every pseudo-inverse that tests can afford, which for large systems is only their own; single
/// precision (packs of twice as many members, same code) for the systems that are compiled for every combination of
/// options.
std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](const Case& each) {
    if (test::is_affordable(*each.system, options_of(each))) all.push_back(each);
  };
  for (const System& system : catalogue()) {
    if (is_large(system, 8)) {
      add({&system, PseudoInverse::automatic, Precision::double_precision});
      continue;
    }
    for (const PseudoInverse method : test::all_pseudo_inverses()) {
      add({&system, method, Precision::double_precision});
    }
    if (test::is_compiled_every_way(system)) {
      all.push_back({&system, PseudoInverse::automatic, Precision::single_precision});
    }
  }
  return all;
}

/// Members `first` … of an unlimited ensemble: the first parameter and all starts of member i depend on i only.
Ensemble members_from(const System& system, long first, long count) {
  Ensemble ensemble(system, count);
  for (long i = 0; i < count; ++i) {
    const double wave = 1 + 0.1 * std::sin(static_cast<double>(first + i));
    ensemble.parameter(system.info.parameters[0].name)[static_cast<std::size_t>(i)] *= wave;
  }
  ensemble.restart();
  for (long i = 0; i < count; ++i) {
    const double wave = 1 + 0.01 * std::cos(static_cast<double>(first + i));
    for (const auto& rate : system.info.rates) ensemble.initial(rate.name)[static_cast<std::size_t>(i)] *= wave;
  }
  return ensemble;
}

/// Bits of the final state of a member.
std::vector<std::uint64_t> final_bits(const Result& result, const System& system, long member) {
  std::vector<std::uint64_t> bits;
  for (const auto& variables : {system.info.coordinates, system.info.rates}) {
    for (const auto& variable : variables) {
      const auto values = result.values(variable.name, result.times().size() - 1);
      bits.push_back(std::bit_cast<std::uint64_t>(values[static_cast<std::size_t>(member)]));
    }
  }
  return bits;
}

class Invariance : public testing::TestWithParam<Case> {};

TEST_P(Invariance, MembersPlaceBlocksThreadsAndSaves) {
  const System& system = *GetParam().system;
  const Options options = test::with_affordable_code(system, options_of(GetParam()));
  const Result whole = run(members_from(system, 0, 150), options);
  ASSERT_EQ(whole.summary.failed(), 0);

  for (const long member : {0L, 1L, 17L, 149L}) {
    const Result alone = run(members_from(system, member, 1), options);
    EXPECT_EQ(final_bits(alone, system, 0), final_bits(whole, system, member)) << "alone, member " << member;
  }
  const Result shifted = run(members_from(system, 5, 40), options);
  Options changed = options;
  changed.block_members = 7;
  const Result blocked = run(members_from(system, 0, 150), changed);
  changed = options;
  changed.threads = 3;
  const Result threaded = run(members_from(system, 0, 150), changed);
  changed = options;
  changed.time.save_every = 7;
  changed.fields = {Field::q, Field::w, Field::multipliers, Field::constraint_force};
  const Result saved = run(members_from(system, 0, 150), changed);
  for (long member = 0; member < 40; ++member) {
    const auto expected = final_bits(whole, system, member + 5);
    EXPECT_EQ(final_bits(shifted, system, member), expected) << "shifted, member " << member;
    EXPECT_EQ(final_bits(blocked, system, member + 5), expected) << "blocks, member " << member;
    EXPECT_EQ(final_bits(threaded, system, member + 5), expected) << "threads, member " << member;
    EXPECT_EQ(final_bits(saved, system, member + 5), expected) << "saves, member " << member;
  }
}

TEST_P(Invariance, AFailingMemberLeavesItsNeighboursAlone) {
  const System& system = *GetParam().system;
  const Options options = test::with_affordable_code(system, options_of(GetParam()));
  const Result calm = run(members_from(system, 0, 40), options);
  for (const double poison : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Ensemble ensemble = members_from(system, 0, 40);
    ensemble.initial(system.info.rates[0].name)[11] = poison;
    const Result result = run(ensemble, options);
    EXPECT_EQ(result.status()[11], Status::non_finite);
    EXPECT_EQ(result.failure_time()[11], 0);
    for (long member = 0; member < 40; ++member) {
      if (member == 11) continue;
      EXPECT_EQ(final_bits(result, system, member), final_bits(calm, system, member)) << "member " << member;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Invariance, testing::ValuesIn(cases()), [](const auto& info) {
  const Case& c = info.param;
  std::string name = c.system->info.name;
  for (const auto& [key, value] : c.system->info.structure) name += "_" + key + std::to_string(value);
  return name + "_" + std::string(pseudo_inverse_name(c.pseudo_inverse)) + "_" +
         std::string(precision_name(c.precision));
});

}  // namespace
}  // namespace kalaba
