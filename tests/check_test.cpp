#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "check/check.hpp"
#include "check/json.hpp"
#include "kalaba/make_system.hpp"

// A check must find what is wrong with a system, and nothing where all is right.

namespace kalaba::check {
namespace {

/// A bead that goes round the unit circle at 1 rad/s.
struct Bead {
  static constexpr const char* name = "bead";
  static constexpr const char* summary = "a bead on a ring";
  static constexpr const char* source = "test";
  static constexpr const char* equations = "r'' = 0, phi = (|r|^2 - 1) / 2";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"m", "kg", 1.0}, {"limit", "s", 100.0, "when the force ends"}};
  static constexpr Quantity coordinates[] = {{"x", "m"}, {"y", "m"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}, {"y_dot", "m/s"}};
  static constexpr Quantity holonomic[] = {{"ring", "m^2"}};
  static constexpr TimeGrid time = {.end = 2, .dt = 1.0 / 64, .save_every = 48};
  static constexpr Invariant invariants[] = {{"speed", "m/s", Invariance::constant}, {"off", "m", Invariance::zero}};
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
    return {sqrt(p[1] - t) * 0.0, X(0.0)};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 1> phi(const P&, const X&, const Vec<X, 2>& q) {
    return {(dot(q, q) - 1.0) * 0.5};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> invariant(const P&, const X&, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    return {dot(w, w), dot(q, q) - 1.0};
  }
  template <class P, class Q, class W>
  KALABA_FN static void closed_form(const P&, double t, Q& q, W& w) {
    turned(t, q, w);
  }
  template <class Q, class W>
  KALABA_FN static void turned(double angle, Q& q, W& w) {
    q[0] = cos(angle);
    q[1] = sin(angle);
    w[0] = -sin(angle);
    w[1] = cos(angle);
  }
};

struct WrongFigure : Bead {
  static constexpr Figure figures[] = {{1, "x", 0.5403023058681398}, {2, "y_dot", -0.4161469}};
};

struct UnknownFigure : Bead {
  static constexpr Figure figures[] = {{1, "z", 0.0}};
};

struct FigureBetweenSteps : Bead {
  static constexpr Figure figures[] = {{0.01, "x", 1.0, 1.0}};
};

struct LateFigure : Bead {
  static constexpr Figure figures[] = {{10, "x", -0.8390715290764524, 1e-7}, {12, "x", 0.0, 1e-7}};
};

struct WrongConstant : Bead {
  template <class P, class X>
  KALABA_FN static Vec<X, 2> invariant(const P&, const X&, const Vec<X, 2>& q, const Vec<X, 2>&) {
    return {q[0], X(0.0)};
  }
};

struct WrongZero : Bead {
  template <class P, class X>
  KALABA_FN static Vec<X, 2> invariant(const P&, const X&, const Vec<X, 2>&, const Vec<X, 2>& w) {
    return {X(1.0), w[1] * 1e-9};
  }
};

struct WrongClosedForm : Bead {
  template <class P, class Q, class W>
  KALABA_FN static void closed_form(const P&, double t, Q& q, W& w) {
    turned(t * (1 + 1e-6), q, w);
  }
};

/// Its error is RK4's: 4e-6 at first, and 16 times smaller with each halving.
struct LongSteps : Bead {
  static constexpr TimeGrid time = {.end = 2, .dt = 1.0 / 8, .save_every = 8};
  static constexpr Figure figures[] = {{1, "x", 0.5403023058681398, 1e-4}};
  static constexpr Invariant invariants[] = {{"speed", "m/s", Invariance::free}, {"off", "m", Invariance::zero}};
};

struct Sized : Bead {
  static constexpr const char* structure = "beads";
  static constexpr int copies = 1;
};

/// More steps than the reference is asked for without --long.
struct ManySteps : Bead {
  static constexpr TimeGrid time = {.end = 2, .dt = 1.0 / (1 << 19), .save_every = 1 << 19};
};

/// The force is no number from 1 s on.
struct BreaksDown : Bead {
  static constexpr Quantity parameters[] = {{"m", "kg", 1.0}, {"limit", "s", 1.0}};
};

constexpr std::array both_backends = {Backend::reference, Backend::cpu};

template <class M>
Verdicts verdicts_of(bool with_long = false) {
  return check_system(make_system<M>(), both_backends, with_long);
}

long count(const Verdicts& verdicts, Kind kind, Outcome outcome) {
  return std::ranges::count_if(verdicts, [&](const Verdict& v) { return v.kind == kind && v.outcome == outcome; });
}

long count(const Verdicts& verdicts, Outcome outcome) {
  return std::ranges::count(verdicts, outcome, &Verdict::outcome);
}

// A run on each backend with each pseudo-inverse.
constexpr long runs = 4;

TEST(Check, FindsNothingWrongWithARightSystem) {
  const Verdicts verdicts = verdicts_of<Bead>();
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
  EXPECT_EQ(count(verdicts, Kind::reference, Outcome::passed), 2) << "the cpu alone, with each pseudo-inverse";
}

/// One fault of a kind in every run, and no other.
template <class M>
void expect_fault(Kind kind) {
  const Verdicts verdicts = verdicts_of<M>();
  EXPECT_EQ(count(verdicts, kind, Outcome::failed), runs);
  EXPECT_EQ(count(verdicts, Outcome::failed), runs);
  for (const Verdict& each : verdicts) EXPECT_EQ(each.outcome == Outcome::failed, severity(each) > 1) << each.detail;
}

TEST(Check, FindsAWrongFigure) { expect_fault<WrongFigure>(Kind::figure); }
TEST(Check, FindsAFigureOfNothing) { expect_fault<UnknownFigure>(Kind::figure); }
TEST(Check, FindsAFigureThatNoStepMeets) { expect_fault<FigureBetweenSteps>(Kind::figure); }
TEST(Check, FindsANumberThatIsNotConstant) { expect_fault<WrongConstant>(Kind::invariant); }
TEST(Check, FindsANumberThatIsNotZero) { expect_fault<WrongZero>(Kind::invariant); }
TEST(Check, FindsAWrongClosedForm) { expect_fault<WrongClosedForm>(Kind::closed_form); }

TEST(Check, FindsAMemberThatFailsAndJudgesItNoFurther) {
  const Verdicts verdicts = verdicts_of<BreaksDown>();
  EXPECT_EQ(count(verdicts, Kind::status, Outcome::failed), runs);
  EXPECT_EQ(verdicts.size(), static_cast<std::size_t>(runs));
}

TEST(Check, BringsTheClosedFormWithinToleranceAtOrderFour) {
  const Verdicts verdicts = verdicts_of<LongSteps>();
  EXPECT_EQ(count(verdicts, Outcome::failed), 0);
  const auto exact = std::ranges::find(verdicts, Kind::closed_form, &Verdict::kind);
  ASSERT_NE(exact, verdicts.end());
  EXPECT_NE(exact->detail.find("order 4.0 as the step is halved to 0.015625 s"), std::string::npos) << exact->detail;
}

TEST(Check, ListsLateFiguresAsNotRunUnlessAsked) {
  const Verdicts brief = verdicts_of<LateFigure>();
  EXPECT_EQ(count(brief, Kind::figure, Outcome::not_run), 2 * runs);
  EXPECT_EQ(count(brief, Outcome::failed), 0);
  const Verdicts whole = verdicts_of<LateFigure>(true);
  EXPECT_EQ(count(whole, Outcome::not_run), 0);
  EXPECT_EQ(count(whole, Kind::figure, Outcome::passed), runs) << "that of 10 s";
  EXPECT_EQ(count(whole, Kind::figure, Outcome::failed), runs) << "that of 12 s, which is wrong";
}

TEST(Check, NamesTheSizeOfASystem) { EXPECT_EQ(verdicts_of<Sized>().front().system, "bead beads=1"); }

TEST(Check, SparesTheReferenceALongRunAndSaysSo) {
  const Verdicts verdicts = verdicts_of<ManySteps>();
  EXPECT_EQ(count(verdicts, Outcome::failed), 0);
  EXPECT_EQ(count(verdicts, Kind::status, Outcome::not_run), 2) << "the reference itself";
  EXPECT_EQ(count(verdicts, Kind::reference, Outcome::not_run), 2) << "the cpu beside it";
  EXPECT_EQ(count(verdicts, Kind::figure, Outcome::passed), 4) << "the cpu's";
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

}  // namespace
}  // namespace kalaba::check
