#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "backend/interpreted/interpreted_runner.hpp"
#include "backend/reference/linear.hpp"
#include "conformance/cases.hpp"
#include "conformance/exemptions.hpp"
#include "support/affordable_code.hpp"
#include "support/pseudo_inverses.hpp"

// Every backend agrees with the reference, and so do interpreted models on packs.

namespace kalaba {
namespace {

using namespace conformance;
using Kind = Stabilization::Kind;
using reference::Rate;

std::vector<Case> tested_cases() {
  std::vector<Case> cases = all_cases();
  std::erase_if(cases, [](const Case& c) { return c.backend == Backend::reference; });
  return cases;
}

class Agreement : public testing::TestWithParam<std::tuple<Case, PseudoInverse, Kind>> {};

/// max |x - y| relative to the maximum of y, at least 1.
double difference(const Vector& x, const Vector& y) {
  return reference::max_norm(x - y) / std::max(1.0, reference::max_norm(y));
}

std::vector<Field> compared_fields(const System& system, PseudoInverse pseudo_inverse, const Oracle& oracle) {
  std::vector<Field> fields;
  for (const Field field : all_fields) {
    // Pivots are not singular values, and for a singular metric the backends decompose different matrices B.
    const bool sigma = field == Field::sigma_kept || field == Field::sigma_dropped;
    if (sigma && (pseudo_inverse != PseudoInverse::svd || oracle.model().singular_metric)) continue;
    if (field == Field::q || field == Field::w || !has_field(system.info, field)) continue;
    fields.push_back(field);
  }
  return fields;
}

/// Maximum difference between two values of a field after a thousand steps. A residual is the difference of two sides:
/// its scale is the rounding of either side.
double tolerance(Field field, const Rate& rate) {
  if (field == Field::residual) return 1e-12 * (10 + rate.b.norm() + rate.A.norm() * rate.w_dot.norm());
  return field == Field::violation ? 1e-11 : 1e-10;
}

void expect_agreement(const Case& tested, PseudoInverse pseudo_inverse, Kind kind, long wanted) {
  Options options = options_for(tested);
  options.method.pseudo_inverse = pseudo_inverse;
  options.method.stabilization = kind == Kind::feedback ? Stabilization::baumgarte(5, 5) : Stabilization{.kind = kind};
  options.project_start = options.project_start || kind == Kind::projection;
  constexpr long members = 3;
  Simulation ours = started(*tested.system, options, members);
  options.method.pseudo_inverse = choose_pseudo_inverse(*tested.system, options);
  options.backend = Backend::reference;
  Simulation oracle = started(*tested.system, options, members);
  const long steps = steps_within({tested.system, Backend::reference}, options, wanted);
  ours.advance(steps);
  oracle.advance(steps);
  // In this time, differences at rounding level grow about ten times more for a long chain than for other systems.
  const double growth = tested.system->info.rates.size() >= 32 ? 10 : 1;
  for (long i = 0; i < members; ++i) {
    const auto index = static_cast<std::size_t>(i);
    EXPECT_EQ(ours.status(i), Status::ok) << status_name(ours.status(i));
    EXPECT_EQ(oracle.status(i), Status::ok) << status_name(oracle.status(i));
    EXPECT_EQ(ours.block.rank_changes[index], oracle.block.rank_changes[index]);
    EXPECT_LE(difference(ours.q(i), oracle.q(i)), growth * 1e-11);
    EXPECT_LE(difference(ours.w(i), oracle.w(i)), growth * 1e-11);
  }
  const Oracle terms(*tested.system, options.method);
  for (const Field field : compared_fields(*tested.system, options.method.pseudo_inverse, terms)) {
    const auto found = ours.observe(field), expected = oracle.observe(field);
    for (long i = 0; i < members; ++i) {
      const double allowed = growth * tolerance(field, terms.rate(oracle.instant(i)));
      EXPECT_LE(difference(ours.member(found, i), oracle.member(expected, i)), allowed) << field_name(field);
    }
  }
}

TEST_P(Agreement, WithTheReferenceAfterAThousandSteps) {
  const auto& [tested, pseudo_inverse, kind] = GetParam();
  expect_agreement(tested, pseudo_inverse, kind, 1000);
}

using Way = std::tuple<Case, PseudoInverse, Kind>;

/// Every pseudo-inverse with every stabilization.
std::vector<Way> ways_of(const Case& tested) {
  std::vector<Way> all;
  for (const PseudoInverse pseudo_inverse : test::all_pseudo_inverses()) {
    for (const Kind kind : {Kind::none, Kind::projection, Kind::feedback}) {
      if (kind == Kind::projection && tested.system->info.servo) continue;  // refused
      all.emplace_back(tested, pseudo_inverse, kind);
    }
  }
  return all;
}

class InterpretedAgreement : public testing::TestWithParam<Case> {};

TEST_P(InterpretedAgreement, WithTheReferenceInEveryWay) {
  const Case& tested = GetParam();
  int interpreted = 0;
  for (const auto& [same, pseudo_inverse, kind] : ways_of(tested)) {
    SCOPED_TRACE(std::string(pseudo_inverse_name(pseudo_inverse)) + ", stabilization " +
                 std::to_string(static_cast<int>(kind)));
    Options options = options_for(tested);
    options.method.pseudo_inverse = pseudo_inverse;
    const ChosenBackend chosen = choose_backend(*tested.system, options);
    if (!chosen.interpreted) continue;  // the build has not every loop
    ++interpreted;
    EXPECT_EQ(chosen.pseudo_inverse, pseudo_inverse);
    expect_agreement(tested, pseudo_inverse, kind, 100);
  }
  const auto holds = [&](const InterpretedLoop& loop) { return is_wide_enough(loop, tested.system->info); };
  EXPECT_EQ(interpreted > 0,
            std::ranges::any_of(interpreted_loops(), holds) && exempt(not_interpreted, *tested.system) == nullptr);
}

std::vector<Case> interpreted_cases() {
  std::vector<Case> cases = tested_cases();
  std::erase_if(cases, [](const Case& c) { return c.backend != Backend::cpu || c.system->reference == nullptr; });
  for (Case& each : cases) each.compile = Compile::never;
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Systems, InterpretedAgreement, testing::ValuesIn(interpreted_cases()),
                         [](const auto& test) { return system_label(*test.param.system); });

/// Default options for each system. For systems that are compiled for every combination, or never interpreted: every
/// pseudo-inverse with default options, and every stabilization with the SVD; for one system all pairs.
std::vector<Way> compiled_ways() {
  std::vector<Way> all;
  for (const Case& tested : tested_cases()) {
    const System& system = *tested.system;
    const Kind own = system.info.stabilization.kind;
    if (!test::is_compiled_every_way(system) && exempt(not_interpreted, system) == nullptr) {
      all.emplace_back(tested, PseudoInverse::automatic, own);
      continue;
    }
    const bool every_pair = system.info.name == "two_particles_incline";
    std::ranges::copy_if(ways_of(tested), std::back_inserter(all), [&](const Way& way) {
      return every_pair || std::get<Kind>(way) == own || std::get<PseudoInverse>(way) == PseudoInverse::svd;
    });
  }
  return all;
}

std::string agreement_label(const testing::TestParamInfo<std::tuple<Case, PseudoInverse, Kind>>& test) {
  constexpr const char* kinds[] = {"none", "projection", "feedback"};
  const auto& [tested, pseudo_inverse, kind] = test.param;
  return testing::PrintToString(tested) + "_" + std::string(pseudo_inverse_name(pseudo_inverse)) + "_" +
         kinds[static_cast<int>(kind)];
}

INSTANTIATE_TEST_SUITE_P(Systems, Agreement, testing::ValuesIn(compiled_ways()), agreement_label);

}  // namespace
}  // namespace kalaba
