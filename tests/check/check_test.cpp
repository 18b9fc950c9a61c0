#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "check/check.hpp"
#include "check/sensitivities.hpp"
#include "check/verdict.hpp"
#include "scenario/scenario.hpp"
#include "support/interpreted_system.hpp"

// A check must find the errors of a system, and report nothing for a correct one.

namespace kalaba::check {
namespace {

/// Bead that moves on the unit circle at 1 rad/s.
struct Bead {
  static constexpr const char* name = "bead";
  static constexpr const char* summary = "a bead on a ring";
  static constexpr const char* source = "test";
  static constexpr const char* equations = "r'' = 0, phi = (|r|^2 - 1) / 2";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"m", "kg", 1.0},
                                            {"limit", "s", 100.0, "when the force ends"},
                                            {"push", "N", 0.0},
                                            {"lost", "1", 0.0, "what the push is a difference of"}};
  static constexpr Quantity coordinates[] = {{"x", "m"}, {"y", "m"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}, {"y_dot", "m/s"}};
  static constexpr Quantity holonomic[] = {{"ring", "m^2"}};
  static constexpr TimeGrid time = {.end = 2, .dt = 1.0 / 64, .save_every = 48};
  static constexpr Invariant invariants[] = {{"speed", "m/s", Invariance::constant},
                                             {"off", "m", Invariance::zero},
                                             {"across", "m", Invariance::free},
                                             {"up", "m/s", Invariance::free}};
  static constexpr Figure figures[] = {{1, "x", 0.5403023058681398}, {2, "y_dot", -0.4161468365471424}};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    closed_form(p, 0.0, q, w);
  }
  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 2>&) {
    return Diagonal<X, 2>{{X(p[0]), X(p[0])}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> force(const P& p, const X& t, const Vec<X, 2>&, const Vec<X, 2>&) {
    return {p[2] * (X(p[3]) + 1.0 - X(p[3])) + sqrt(p[1] - t) * 1e-60, X(0.0)};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 1> phi(const P&, const X&, const Vec<X, 2>& q) {
    return {(dot(q, q) - 1.0) * 0.5};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 4> invariant(const P&, const X&, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    return {dot(w, w), dot(q, q) - 1.0, q[0], w[1] * 1e-9};
  }
  template <class P, class Q, class W>
  KALABA_FN static void closed_form(const P&, double t, Q& q, W& w) {
    q[0] = cos(t);
    q[1] = sin(t);
    w[0] = -sin(t);
    w[1] = cos(t);
  }
};

constexpr std::array both_backends = {Backend::reference, Backend::cpu};

const System& bead() {
  static const System system = make_system<Bead>();
  return system;
}

/// The bead with other expected figures.
System bead_with(const std::vector<ExpectedFigure>& figures) {
  System system = bead();
  system.info.figures = figures;
  return system;
}

System bead_with(const TimeGrid& time) {
  System system = bead();
  system.info.time = time;
  return system;
}

/// The bead with a wrong statement on one of its invariants.
System bead_claiming(int invariant, Invariance kind) {
  System system = bead();
  system.info.invariance[static_cast<std::size_t>(invariant)] = kind;
  return system;
}

Verdicts verdicts_of(const System& system, bool with_long = false) {
  return check_system(system, both_backends, with_long);
}

long count(const Verdicts& verdicts, Kind kind, Outcome outcome) {
  return std::ranges::count_if(verdicts, [&](const Verdict& v) { return v.kind == kind && v.outcome == outcome; });
}

long count(const Verdicts& verdicts, Outcome outcome) {
  return std::ranges::count(verdicts, outcome, &Verdict::outcome);
}

// A run on each backend with each pseudo-inverse.
constexpr long runs = 5;  // with svd and qr on the reference, and also ldlt on the cpu

TEST(Check, FindsNothingWrongWithARightSystem) {
  const Verdicts verdicts = verdicts_of(bead());
  for (const Verdict& each : verdicts) {
    EXPECT_EQ(each.outcome, Outcome::passed) << kind_name(each.kind) << " " << each.detail << " " << each.error;
    EXPECT_LE(severity(each), 1);
  }
  EXPECT_EQ(count(verdicts, Kind::status, Outcome::passed), runs);
  EXPECT_EQ(count(verdicts, Kind::figure, Outcome::passed), 2 * runs);
  EXPECT_EQ(count(verdicts, Kind::closed_form, Outcome::passed), runs);
  EXPECT_EQ(count(verdicts, Kind::invariant, Outcome::passed), 2 * runs);
  EXPECT_EQ(count(verdicts, Kind::violation, Outcome::passed), runs);
  EXPECT_EQ(count(verdicts, Kind::residual, Outcome::passed), runs);
  EXPECT_EQ(count(verdicts, Kind::reference, Outcome::passed), 3) << "the cpu alone, with each pseudo-inverse";
  EXPECT_EQ(count(verdicts, Kind::single, Outcome::passed), 3) << "likewise";
}

/// Expects one fault of this kind in every run, and no other fault.
void expect_fault(const System& system, Kind kind) {
  const Verdicts verdicts = verdicts_of(system);
  EXPECT_EQ(count(verdicts, kind, Outcome::failed), runs);
  EXPECT_EQ(count(verdicts, Outcome::failed), runs);
  for (const Verdict& each : verdicts) EXPECT_EQ(each.outcome == Outcome::failed, severity(each) > 1) << each.detail;
}

TEST(Check, FindsAWrongFigure) {
  expect_fault(bead_with({{1, "x", 0.5403023058681398, 1e-8}, {2, "y_dot", -0.4161469, 1e-8}}), Kind::figure);
}
TEST(Check, FindsAFigureOfNothing) { expect_fault(bead_with({{1, "z", 0, 1e-8}}), Kind::figure); }
TEST(Check, FindsAFigureThatNoStepMeets) { expect_fault(bead_with({{0.01, "x", 1, 1}}), Kind::figure); }
TEST(Check, FindsANumberThatIsNotConstant) { expect_fault(bead_claiming(2, Invariance::constant), Kind::invariant); }
TEST(Check, FindsANumberThatIsNotZero) { expect_fault(bead_claiming(3, Invariance::zero), Kind::invariant); }
TEST(Check, FindsAWrongClosedForm) {
  System wrong = bead();
  wrong.closed_form = [](const double* /*parameters*/, double t, double* q, double* w) {
    bead().closed_form(nullptr, t * (1 + 1e-6), q, w);
  };
  expect_fault(wrong, Kind::closed_form);
}

/// States that an energy is conserved that is not.
struct BeadOfWrongEnergy : Bead {
  static constexpr bool conserves_energy = true;

  template <class P, class X, class Q>
  KALABA_FN static X energy(const P&, const X&, const Q& q, const Q& w) {
    return dot(w, w) * 0.5 + q[0] * 1e-6;
  }
};

TEST(Check, FindsAnEnergyThatIsNotKept) { expect_fault(make_system<BeadOfWrongEnergy>(), Kind::energy); }

TEST(Check, DoesNotTakeTheReferenceForABackendThatIsNotThere) {
  System unknown = make_system<Bead>();
  unknown.device_code = {};  // nothing can be compiled
  unknown.interpreted = nullptr;
  const Verdicts verdicts = verdicts_of(unknown);
  EXPECT_EQ(count(verdicts, Kind::status, Outcome::not_run), 3);
  EXPECT_EQ(count(verdicts, Kind::status, Outcome::passed), 2);
  EXPECT_EQ(count(verdicts, Outcome::failed), 0);
}

TEST(Check, FindsWhatSinglePrecisionCannotHold) {
  System huge = bead();
  huge.info.parameters[1].value = 1e39;  // infinite in single precision, and the force then no number
  const Verdicts verdicts = verdicts_of(huge);
  EXPECT_EQ(count(verdicts, Kind::single, Outcome::failed), 3);
  EXPECT_EQ(count(verdicts, Outcome::failed), 3);
}

TEST(Check, FindsThatSinglePrecisionMovesOtherwise) {
  System pushed = bead();
  pushed.info.parameters[2].value = 1.0;
  EXPECT_EQ(count(verdicts_of(pushed), Kind::single, Outcome::passed), 3);
  pushed.info.parameters[3].value = 1e9;
  EXPECT_EQ(count(verdicts_of(pushed), Kind::single, Outcome::failed), 3);
}

TEST(Check, FindsAMemberThatFailsAndJudgesItNoFurther) {
  System breaks_down = bead();
  breaks_down.info.parameters[1].value = 1.0;  // the force is no number from 1 s on
  const Verdicts verdicts = verdicts_of(breaks_down);
  EXPECT_EQ(count(verdicts, Kind::status, Outcome::failed), runs);
  EXPECT_EQ(verdicts.size(), static_cast<std::size_t>(runs));
}

TEST(Check, BringsTheClosedFormWithinToleranceAtOrderFour) {
  // RK4's error is 4e-6 at first, and 16 times smaller with each halving.
  System system = bead_with(TimeGrid{.end = 2, .dt = 1.0 / 8, .save_every = 8});
  system.info.figures = {{1, "x", 0.5403023058681398, 1e-4}};
  system.info.invariance[0] = Invariance::free;
  const Verdicts verdicts = verdicts_of(system);
  EXPECT_EQ(count(verdicts, Outcome::failed), 0);
  const auto exact = std::ranges::find(verdicts, Kind::closed_form, &Verdict::kind);
  ASSERT_NE(exact, verdicts.end());
  EXPECT_NE(exact->detail.find("order 4.0 as the step is halved to 0.015625 s"), std::string::npos) << exact->detail;
}

TEST(Check, ListsLateFiguresAsNotRunUnlessAsked) {
  const System system = bead_with({{10, "x", -0.8390715290764524, 1e-7}, {12, "x", 0.0, 1e-7}});
  const Verdicts brief = verdicts_of(system);
  EXPECT_EQ(count(brief, Kind::figure, Outcome::not_run), 2 * runs);
  EXPECT_EQ(count(brief, Outcome::failed), 0);
  const Verdicts whole = verdicts_of(system, true);
  EXPECT_EQ(count(whole, Outcome::not_run), 0);
  EXPECT_EQ(count(whole, Kind::figure, Outcome::passed), runs) << "that of 10 s";
  EXPECT_EQ(count(whole, Kind::figure, Outcome::failed), runs) << "that of 12 s, which is wrong";
}

TEST(Check, SeesSensitivitiesOfTheCatalogueWithEveryPseudoInverseAndIntegrator) {
  std::set<std::string> integrators_seen;
  std::set<std::string> expected;
  std::set<PseudoInverse> seen;
  for (const IntegratorFacts& each : integrators) {
    if (!each.uses_series) expected.insert(each.name);  // the reference has none
  }
  for (const System& each : catalogue()) {
    integrators_seen.insert(facts_of(sensitive_way(each.info).integrator).name);
    seen.insert(sensitive_way(each.info).pseudo_inverse);
  }
  EXPECT_EQ(integrators_seen, expected);
  EXPECT_EQ(seen.size(), 3U);
}

/// The cpu and the reference backend share only the model; in this test they have different models.
TEST(Check, FindsWrongSensitivities) {
  const System& right = find_system("spherical_pendulum");
  EXPECT_EQ(count(check_system(right, std::array{Backend::cpu}, false), Kind::sensitivity, Outcome::passed), 1);
  System wrong = right;
  wrong.reference = [&](const Options& options) {
    Options other = options;
    for (int& each : other.sensitivities.of) each = each == 0 ? 1 : each;  // along another parameter
    return right.reference(other);
  };
  EXPECT_EQ(count(check_system(wrong, std::array{Backend::cpu}, false), Kind::sensitivity, Outcome::failed), 1);
}

TEST(Check, NamesTheSizeOfASystem) {
  System sized = bead();
  sized.info.structure["beads"] = 1;
  EXPECT_EQ(verdicts_of(sized).front().system, "bead beads=1");
}

TEST(Check, SparesTheReferenceALongRunAndSaysSo) {
  const Verdicts verdicts = verdicts_of(bead_with(TimeGrid{.end = 2, .dt = 1.0 / (1 << 19), .save_every = 1 << 19}));
  EXPECT_EQ(count(verdicts, Outcome::failed), 0);
  EXPECT_EQ(count(verdicts, Kind::status, Outcome::not_run), 2) << "the reference itself";
  EXPECT_EQ(count(verdicts, Kind::reference, Outcome::not_run), 3) << "the cpu beside it";
  EXPECT_EQ(count(verdicts, Kind::figure, Outcome::passed), 6) << "the cpu's";
}

TEST(Check, RanksWhatIsNoNumberWorst) {
  EXPECT_EQ(severity(std::nan(""), 1), std::numeric_limits<double>::infinity());
  EXPECT_EQ(severity(2, 4), 0.5);
  Verdict skipped;
  skipped.tolerance = 1;
  EXPECT_LT(severity(skipped), 0);
}

TEST(CheckJson, HoldsEveryVerdictAndNoNumberThatJsonLacks) {
  const Verdict good = {"bead", Backend::cpu, PseudoInverse::qr, Kind::figure, Outcome::passed, 0.25, 0.5, "a \"b\"\n"};
  const Verdict bad = {"bead", Backend::cpu, PseudoInverse::qr, Kind::status, Outcome::failed, std::nan(""),
                       1,      "non_finite"};
  const Verdict skipped = {"bead", Backend::cpu, PseudoInverse::svd, Kind::figure, Outcome::not_run, 0, 0, "--long"};
  EXPECT_EQ(json_text({good, bad, skipped}, {"1.2.3", "abc", "2026-01-02T03:04:05Z"}),
            "{\n  \"version\": \"1.2.3\",\n  \"commit\": \"abc\",\n  \"date\": \"2026-01-02T03:04:05Z\",\n"
            "  \"verdicts\": [\n"
            "    {\"system\": \"bead\", \"backend\": \"cpu\", \"pseudo_inverse\": \"qr\", \"kind\": \"figure\", "
            "\"verdict\": \"passed\", \"error\": 0.25, \"tolerance\": 0.5, \"detail\": \"a \\\"b\\\"\\u000a\"},\n"
            "    {\"system\": \"bead\", \"backend\": \"cpu\", \"pseudo_inverse\": \"qr\", \"kind\": \"status\", "
            "\"verdict\": \"failed\", \"error\": null, \"tolerance\": 1, \"detail\": \"non_finite\"},\n"
            "    {\"system\": \"bead\", \"backend\": \"cpu\", \"pseudo_inverse\": \"svd\", \"kind\": \"figure\", "
            "\"verdict\": \"not run\", \"error\": null, \"tolerance\": null, \"detail\": \"--long\"}\n"
            "  ]\n}\n");
  EXPECT_NE(json_text({}, {"1", "2", "3"}).find("\"verdicts\": [\n  ]"), std::string::npos);
}

/// A ball that falls for 0.8 s from a height of 1 m, with more tables.
Scenario ball(const std::string& more) {
  return load_scenario_text(R"(
[model]
name = "ball"
lagrangian = "y_dot^2/2 - g*y"
[model.parameters]
g = "9.81 m/s^2"
[model.coordinates]
y = "m"
[model.start]
y = 1
[model.time]
end = 0.8
dt = 0.01
)" + more,
                            "ball.toml", {});
}

TEST(CheckChanges, AreMadeInTheRunsThatAreJudged) {
  const Scenario scenario = ball(R"(
[[model.events]]
name = "bounce"
when = "y"
direction = "falling"
set = { y_dot = "-0.5*y_dot" }
[[model.events]]
name = "half"
when = "y - 0.5"
[[model.clocks]]
name = "never"
every = 10
offset = 10
set = { y_dot = 0 }
)");
  System system = *scenario.system;
  const double bounce = std::sqrt(2 / 9.81);
  const double after = 0.8 - bounce;
  system.info.figures = {{0.8, "y", 0.5 * 9.81 * bounce * after - 0.5 * 9.81 * after * after, 1e-9}};
  const std::array reference = {Backend::reference};
  const Changes changes = {scenario.options.events, scenario.options.clocks};
  const Verdicts with = check_system(system, reference, false, changes);
  EXPECT_EQ(count(with, Outcome::failed), 0);
  EXPECT_EQ(count(with, Kind::figure, Outcome::passed), 2) << "one for each pseudo-inverse";
  EXPECT_EQ(count(with, Kind::energy, Outcome::not_run), 2) << "a bounce changes it";
  EXPECT_EQ(count(check_system(system, reference, false), Kind::figure, Outcome::failed), 2);
}

TEST(CheckChanges, AreNotRunWhereTheyAreNotMade) {
  const Scenario scenario = ball("");
  const Changes fast = {.clocks = {{.name = "fast", .every = 1e-7, .set = {{"y_dot", "0"}}}}};
  const std::array reference = {Backend::reference};
  const Verdicts verdicts = check_system(*scenario.system, reference, false, fast);
  ASSERT_FALSE(verdicts.empty());
  EXPECT_EQ(count(verdicts, Outcome::not_run), std::ssize(verdicts));
  EXPECT_NE(verdicts.front().detail.find("a step has more than 10,000 ticks"), std::string::npos);
}

}  // namespace
}  // namespace kalaba::check
