#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>

#include "conformance/cases.hpp"

// Backends agree with the reference, and a member's bits depend on nothing but the member.

namespace kalaba {
namespace {

using namespace conformance;
using Kind = Stabilization::Kind;

std::vector<Case> tested_cases() {
  std::vector<Case> cases = all_cases();
  std::erase_if(cases, [](const Case& c) { return c.backend == Backend::reference; });
  return cases;
}

class Agreement : public testing::TestWithParam<std::tuple<Case, PseudoInverse, Kind>> {};

/// max |x - y| relative to the size of y, at least 1.
double difference(const Vector& x, const Vector& y) {
  if (x.size() == 0) return 0.0;
  return (x - y).lpNorm<Eigen::Infinity>() / std::max(1.0, y.lpNorm<Eigen::Infinity>());
}

TEST_P(Agreement, WithTheReferenceAfterAThousandSteps) {
  const auto& [tested, pseudo_inverse, kind] = GetParam();
  Options options = options_for(tested);
  options.method.pseudo_inverse = pseudo_inverse;
  options.method.stabilization = kind == Kind::feedback ? Stabilization::baumgarte(5, 5) : Stabilization{.kind = kind};
  options.project_start = options.project_start || kind == Kind::projection;
  constexpr long members = 3;
  Simulation ours = started(tested, options, members);
  Simulation oracle = started({tested.system, Backend::reference}, options, members);
  const long steps = std::min(1000L, options.time.steps());
  ours.advance(steps);
  oracle.advance(steps);
  for (long i = 0; i < members; ++i) {
    EXPECT_EQ(ours.status(i), oracle.status(i)) << status_name(ours.status(i)) << status_name(oracle.status(i));
    EXPECT_EQ(ours.block.rank_changes[static_cast<std::size_t>(i)],
              oracle.block.rank_changes[static_cast<std::size_t>(i)]);
    EXPECT_LE(difference(ours.q(i), oracle.q(i)), 1e-11);
    EXPECT_LE(difference(ours.w(i), oracle.w(i)), 1e-11);
    for (const Field field : {Field::constraint_force, Field::multipliers, Field::rank, Field::energy}) {
      EXPECT_LE(difference(ours.member(ours.observe(field), i), oracle.member(oracle.observe(field), i)), 1e-10)
          << field_name(field);
    }
    for (const Field field : {Field::residual, Field::violation}) {
      EXPECT_LE(difference(ours.member(ours.observe(field), i), oracle.member(oracle.observe(field), i)), 1e-11)
          << field_name(field);
    }
  }
}

std::string agreement_label(const testing::TestParamInfo<std::tuple<Case, PseudoInverse, Kind>>& test) {
  constexpr const char* kinds[] = {"none", "projection", "feedback"};
  const auto& [tested, pseudo_inverse, kind] = test.param;
  return testing::PrintToString(tested) + "_" + std::string(pseudo_inverse_name(pseudo_inverse)) + "_" +
         kinds[static_cast<int>(kind)];
}

INSTANTIATE_TEST_SUITE_P(Systems, Agreement,
                         testing::Combine(testing::ValuesIn(tested_cases()),
                                          testing::Values(PseudoInverse::svd, PseudoInverse::qr),
                                          testing::Values(Kind::none, Kind::projection, Kind::feedback)),
                         agreement_label);

class SameBits : public testing::TestWithParam<Case> {
 protected:
  static constexpr long steps = 40;
  Options options = options_for(GetParam());

  /// Seventy members, of which the copy of member `from` sits last.
  Simulation crowd(long from) {
    Simulation simulation = simulate(*GetParam().system, options, 70);
    spread(simulation.block);
    for (auto* rows : {&simulation.block.parameters, &simulation.block.q, &simulation.block.w}) {
      for (std::size_t row = 0; row < rows->size(); row += static_cast<std::size_t>(simulation.block.stride)) {
        (*rows)[row + 69] = (*rows)[row + static_cast<std::size_t>(from)];
      }
    }
    simulation.start(options.project_start);
    return simulation;
  }
};

TEST_P(SameBits, WhateverThePlaceTheThreadsAndTheChunks) {
  Simulation plain = crowd(3);
  plain.advance(steps);
  EXPECT_EQ(plain.q(69), plain.q(3));
  EXPECT_EQ(plain.w(69), plain.w(3));
  EXPECT_NE(plain.w(2), plain.w(3));
  for (const int threads : {2, 5, 0}) {
    options.threads = threads;
    Simulation chunked = crowd(3);
    for (long chunk = 1; chunked.step < steps; ++chunk) chunked.advance(std::min(chunk, steps - chunked.step));
    EXPECT_EQ(chunked.block.q, plain.block.q);
    EXPECT_EQ(chunked.block.w, plain.block.w);
  }
}

TEST_P(SameBits, WhateverBecomesOfTheNeighbours) {
  Simulation plain = crowd(3);
  plain.advance(steps);
  Simulation beside = simulate(*GetParam().system, options, 70);
  spread(beside.block);
  for (const long poisoned : {0L, 2L, 4L, 63L, 64L}) {
    beside.block.coordinate(0)[static_cast<std::size_t>(poisoned)] = std::numeric_limits<double>::quiet_NaN();
  }
  beside.start(options.project_start);
  beside.advance(steps);
  for (const long poisoned : {0L, 2L, 4L, 63L, 64L}) EXPECT_EQ(beside.status(poisoned), Status::non_finite);
  for (const long good : {1L, 3L, 5L, 62L, 65L}) {
    EXPECT_EQ(beside.status(good), Status::ok);
    EXPECT_EQ(beside.q(good), plain.q(good));
    EXPECT_EQ(beside.w(good), plain.w(good));
  }
}

INSTANTIATE_TEST_SUITE_P(Systems, SameBits, testing::ValuesIn(all_cases()),
                         [](const auto& test) { return testing::PrintToString(test.param); });

}  // namespace
}  // namespace kalaba
