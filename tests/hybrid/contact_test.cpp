// Contacts stated in models: runs against closed forms, bits, messages.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "hybrid/hybrid.hpp"
#include "report/text/summary.hpp"

namespace kalaba {
namespace {

using hybrid::has_same_bits;
using hybrid::refusal_of;
using hybrid::run_text;
using hybrid::Way;

constexpr double g = 9.81;

const std::string ball = R"(
[output]
fields = ["q", "w", "invariants", "multipliers", "violation"]
[time]
end = 5.0
dt = 0.01
save_every = 10
[model]
name = "ball"
lagrangian = "m*y_dot^2/2 - m*g*y"
[model.parameters]
m = "2 kg"
g = "9.81 m/s^2"
e = 0.8
R = "0.1 m"
h = "1 m"
dv = "3 m/s"
[model.coordinates]
y = "m"
[model.start]
y = "h + R"
[model.unilateral]
floor = { gap = "y - R", restitution = "e" }
)";

class Contacts : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(, Contacts, testing::ValuesIn(hybrid::all_ways()),
                         [](const auto& info) { return hybrid::name_of(info.param); });

TEST_P(Contacts, BallsBounceToRest) {
  const Result result = run_text("[parameters]\ne = { linspace = [0, 0.8, 11] }\n" + ball, GetParam());
  const auto last = result.times().size() - 1;
  const double first = std::sqrt(2 / g);
  for (std::size_t i = 0; i < 11; ++i) {
    const double e = 0.08 * static_cast<double>(i);
    ASSERT_EQ(result.status()[i], Status::ok) << i;
    EXPECT_NEAR(result.event_time("floor")[i], first, 1e-14);
    EXPECT_NEAR(result.event_last_time("floor")[i], first * (1 + e) / (1 - e), 2e-6);
    EXPECT_NEAR(result.values("y", last)[i], 0.1, 1e-15);
    EXPECT_NEAR(result.values("y_dot", last)[i], 0, 1e-15);
    EXPECT_EQ(result.values("floor_closed", last)[i], 1);
    EXPECT_EQ(result.values("floor_closed", 0)[i], 0);
    for (std::size_t frame = 0; frame <= last; ++frame) EXPECT_GE(result.values("y", frame)[i], 0.1 - 1e-12);
  }
}

TEST_P(Contacts, BitsDoNotDependOnTheDivisionOfARun) {
  const std::string members = "[parameters]\ne = { linspace = [0, 0.8, 13] }\n";
  const Result whole = run_text(members + ball, GetParam(), {"time.save_every=500"});
  for (const char* other_way : {"time.save_every=1", "solver.block_members=1"}) {
    const Result other = run_text(members + ball, GetParam(), {other_way});
    for (std::size_t i = 0; i < 13; ++i) {
      for (const char* name : {"y", "y_dot"}) {
        EXPECT_TRUE(has_same_bits(other.values(name, other.times().size() - 1)[i],
                                  whole.values(name, whole.times().size() - 1)[i]))
            << name << ' ' << i;
      }
      EXPECT_EQ(other.event_count("floor")[i], whole.event_count("floor")[i]);
      EXPECT_TRUE(has_same_bits(other.event_last_time("floor")[i], whole.event_last_time("floor")[i]));
    }
  }
}

TEST_P(Contacts, AStartBelowTheFloorIsNotOk) {
  const std::string members = "[ensemble]\nmembers = 3\n[initial]\ny = { values = [0.05, 0.1, 1.0] }\n";
  const std::string twice = std::string(ball).replace(ball.find("y - R"), 5, "2*y - R - y");
  const std::string clock =
      "[model.discrete]\nn = 0\n[[model.clocks]]\nname = \"c\"\nevery = 0.3\nset = { n = \"n + 1\" }\n";
  for (const std::string& text : {ball, twice + clock}) {
    const Result result = run_text(members + text, GetParam());
    EXPECT_EQ(result.status()[0], Status::not_assembled);
    EXPECT_EQ(result.status()[1], Status::ok);
    EXPECT_EQ(result.status()[2], Status::ok);
    EXPECT_EQ(result.values("floor_closed", 0)[1], 1);  // rests from the start
    EXPECT_EQ(result.summary.first_failure(),
              "member 0: no start meets the constraints: the gap of the contact 'floor' is -0.05 m, where y is 0.05");
  }
}

const std::string pendulum = R"toml(
[time]
end = 0.9
dt = 1e-3
save_every = 100
[model]
name = "limited_pendulum"
lagrangian = "m*L^2*th_dot^2/2 + m*g*L*cos(th)"
[model.parameters]
m = "1 kg"
L = "1 m"
g = "9.81 m/s^2"
[model.coordinates]
th = "1"
[model.start]
th = -0.8
[model.unilateral]
stop = { gap = "0.3 - th", restitution = 0.2 }
)toml";

TEST_P(Contacts, APendulumHitsItsJointLimit) {
  const Result result = run_text(pendulum, GetParam());
  ASSERT_EQ(result.status()[0], Status::ok);
  EXPECT_EQ(result.event_count("stop")[0], 1);
  const auto last = result.times().size() - 1;
  const double th = result.values("th", last)[0];
  const double w = result.values("th_dot", last)[0];
  // Energies before and after the impact.
  const double squared_speed = 2 * g * (std::cos(0.3) - std::cos(0.8));
  EXPECT_NEAR(w * w / 2 - g * std::cos(th), 0.04 * squared_speed / 2 - g * std::cos(0.3), 1e-10);
  EXPECT_LE(th, 0.3);
}

const std::string kicked = R"(
[[events]]
name = "kick"
when = "t - 1"
set = { y_dot = "y_dot + dv" }
)";
TEST_P(Contacts, AKickLiftsABallThatRests) {
  const Result result = run_text(kicked + ball, GetParam(), {"initial.y=0.1", "parameters.e=0", "time.end=1.2"});
  ASSERT_EQ(result.status()[0], Status::ok);
  const auto last = result.times().size() - 1;
  EXPECT_NEAR(result.values("y", last)[0], 0.1 + 3 * 0.2 - g / 2 * 0.04, 1e-12);
  EXPECT_EQ(result.values("floor_closed", last)[0], 0);
  EXPECT_EQ(result.event_count("floor")[0], 0);
}

/// A model with a line of [model.unilateral] in place of that of the ball.
std::string with(const std::string& line, const std::string& more = "") {
  std::string text = ball + more;
  const std::string own = "floor = { gap = \"y - R\", restitution = \"e\" }\n";
  text.replace(text.find(own), own.size(), line + "\n");
  return text;
}

void expect_refusal(const std::string& text, const std::string& part, const std::vector<std::string>& overrides = {}) {
  const std::string message = refusal_of(text, overrides);
  EXPECT_NE(message.find(part), std::string::npos) << part << "\n---\n" << message;
}

TEST(ContactErrors, NameTheKeyAndTheReason) {
  expect_refusal(with("floor = { gap = \"y_dot\" }"), "gap");
  expect_refusal(with("floor = { gap = \"y - m\" }"), "cannot be subtracted");
  expect_refusal(with("floor = { gap = \"R\" }"), "expected a gap that depends on coordinates");
  expect_refusal(with("floor = { gap = 1 }"), "expected a gap that depends on coordinates");
  expect_refusal(with("floor = \"y\""), "expected a table");
  expect_refusal(with("floor = { restitution = 0.5 }"), "gap is missing");
  expect_refusal(with("floor = { gap = \"y\", restitution = -0.1 }"), "expected a restitution of at least 0");
  expect_refusal(with("floor = { gap = \"y\", restitution = \"m\" }"), "a restitution");
  expect_refusal(with("floor = { gap = \"y\", restitution = \"y\" }"), "a restitution");
  expect_refusal(with("floor = { gap = \"y\", law = \"neuton\" }"), "newton");
  expect_refusal(with("floor = { gap = \"y\", gaps = 1 }"), "gap");
  expect_refusal(with("floor = { gap = \"y\", friction = 0.1 }"), "slip is missing");
  expect_refusal(with("y = { gap = \"y\" }"), "stated already");
  expect_refusal(with("floor = { gap = \"y\" }\n[model.holonomic]\nfloor = \"y = R\""), "stated already");
  expect_refusal(ball + "[[events]]\nname = \"floor\"\nwhen = \"y\"\n",
                 "hybrid.toml:25: events[1].name: expected a name that no contact has, found \"floor\"");
  expect_refusal(ball + "[[clocks]]\nname = \"floor\"\nevery = 1\nset = { y_dot = 0 }\n",
                 "hybrid.toml:25: clocks[1].name: expected a name that no contact has, found \"floor\"");
  expect_refusal(ball + "[[model.clocks]]\nname = \"c\"\nevery = 1\nset = { y_dot = 0 }\n" +
                     "[[events]]\nname = \"c\"\nwhen = \"y\"\n",
                 "hybrid.toml:");
  expect_refusal(with("floor = { gap = \"y\", restitution = \"sqrt(e - 1)\" }"),
                 "expected a restitution of at least 0, found a value that is not a number");
  expect_refusal(with("\"floor[i in floors]\" = { gap = \"y + i*R\" }\n[model.structure]\nfloors = 53"),
                 "model.unilateral: expected at most 52 contacts and limits, found 53");
  EXPECT_NE(refusal_of(with("\"floor[i in floors]\" = { gap = \"y + i*R\" }\n[model.structure]\nfloors = 25"),
                       {"solver.precision=single"})
                .find("expected at most 24 events and contacts with precision = \"single\", found 25"),
            std::string::npos);
  expect_refusal(ball + "[[events]]\nname = \"x\"\nwhen = \"y\"\nset = { floor_closed = 1 }\n", "state of a contact");
}

TEST(ContactErrors, ARestitutionAboveOneGivesAWarning) {
  const std::string members = "[parameters]\ne = { values = [0.5, 1, 1.1, 1.2, -0.1] }\n[ensemble]\nmembers = 5\n";
  const Scenario scenario =
      load_scenario_text(members + ball, "hybrid.toml", {"time.end=0.6", "solver.compile=never", "solver.backend=cpu"});
  const Result result = run(evenly_chosen(*scenario.system, *scenario.source, scenario.members), scenario.options);
  const std::vector<std::string> warnings = warnings_of(scenario.system->info, scenario.options, result.summary);
  const std::string expected = "contact: floor has a restitution above 1 in 2 members: its impacts gain energy";
  EXPECT_EQ(std::ranges::count(warnings, expected), 1);
  EXPECT_EQ(result.status()[4], Status::singular_constraints);  // the restitution of a member is below 0
}

/// Runs an ensemble of one member; returns the reason of its failure.
std::string failure_of(const std::string& text, std::vector<std::string> more = {}) {
  return run_text(text, Way{"cpu", "rk4"}, std::move(more)).summary.first_failure();
}

TEST(ContactErrors, NameTheContactOfAFailure) {
  const std::string roof =
      "floor = { gap = \"y\", restitution = \"e\" }\nroof = { gap = \"h - dv*t - y\", restitution = \"e\" }";
  const std::string squeezed = failure_of(with(roof), {"parameters.dv=0.6", "initial.y=0.5"});
  EXPECT_NE(squeezed.find("satisfies the conditions of all contacts; nearest is "), std::string::npos) << squeezed;
  EXPECT_NE(failure_of(ball, {"parameters.e=-0.5"}).find("the restitution of contact 'floor' is -0.5"),
            std::string::npos)
      << failure_of(ball, {"parameters.e=-0.5"});
  const std::string gap = failure_of(with("floor = { gap = \"y - R*sqrt(1.005 - t/1[s])\" }"));
  EXPECT_NE(gap.find("the gap of contact 'floor' is not finite at 1.01 s"), std::string::npos) << gap;
}

TEST(ContactErrors, AreNotRaisedForARunThatWritesEventsAlone) {
  EXPECT_EQ(refusal_of(ball, {"output.trajectories=false", "solver.compile=never"}), "");
}

TEST(ContactErrors, NameWhatContactsDoNotGoWith) {
  expect_refusal(ball, "contacts go with stabilization = \"projection\"", {"solver.stabilization=none"});
  expect_refusal(ball, "contacts go with one thread a member of a GPU: expected threads_per_member = 1, found 4",
                 {"solver.backend=cuda", "solver.threads_per_member=4"});
}

/// Examples of docs/contact.md.
std::vector<std::string> examples() {
  std::ifstream file(std::string(KALABA_SOURCE_DIR) + "/docs/contact.md");
  std::vector<std::string> all;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "```toml") all.emplace_back();
    if (line.starts_with("```")) {
      inside = line == "```toml";
    } else if (inside) {
      all.back() += line + "\n";
    }
  }
  return all;
}
TEST(ContactTexts, ExamplesOfTheDocumentRun) {
  const std::vector<std::string> all = examples();
  ASSERT_EQ(all.size(), 6U);
  const std::vector<std::string> overrides = {"solver.compile=never", "time.end=2", "solver.backend=cpu"};
  const Result ball_of_document = run_text(all[0], overrides);
  EXPECT_EQ(ball_of_document.status()[0], Status::ok);
  EXPECT_GE(ball_of_document.event_count("floor")[0], 3);
  const Result box = run_text(all[1], overrides);
  EXPECT_EQ(box.status()[0], Status::ok);
  EXPECT_NEAR(box.values("fall_z", box.times().size() - 1)[0], 0.1, 1e-9);
  const Result cradle = run_text(all[2], overrides);
  const auto last = cradle.times().size() - 1;
  EXPECT_EQ(cradle.status()[0], Status::ok);
  EXPECT_NEAR(cradle.values("a_dot", last)[0], 0, 1e-14);
  EXPECT_NEAR(cradle.values("b_dot", last)[0], 0, 1e-14);
  EXPECT_NEAR(cradle.values("c_dot", last)[0], 1, 1e-14);
  const Result ladder =
      run_text(all[3], std::vector<std::string>{"solver.compile=never", "time.end=1", "solver.backend=cpu"});
  EXPECT_EQ(ladder.status()[0], Status::ok);
  EXPECT_NEAR(ladder.event_time("ground_slip")[0], 0.7544133, 1e-6);
  const Result billiard = run_text(all[4], overrides);
  EXPECT_EQ(billiard.status()[0], Status::ok);
  EXPECT_NEAR(billiard.event_time("cloth_slip")[0], 0.358037, 1e-6);
  EXPECT_EQ(load_scenario_text(all[0] + all[5], "ball.toml", {}).system->info.sensitivities.size(), 3U);
}

TEST(ContactTexts, TheEffectiveTextIsItsOwnEffectiveText) {
  const Scenario scenario = load_scenario_text(kicked + ball, "ball.toml", {});
  const Scenario again = load_scenario_text(scenario.text, "ball.toml", {});
  EXPECT_EQ(again.text, scenario.text);
  EXPECT_EQ(again.options.events.size(), 2U);
}

}  // namespace
}  // namespace kalaba
