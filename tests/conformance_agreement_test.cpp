#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "conformance/cases.hpp"

// Every backend agrees with the reference.

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
  Simulation ours = started(*tested.system, options, members);
  options.backend = Backend::reference;
  Simulation oracle = started(*tested.system, options, members);
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

}  // namespace
}  // namespace kalaba
