#include <gtest/gtest.h>

#include "scenarios/failure.hpp"

namespace kalaba {
namespace {

Options options_of(const std::string& events) {
  static const std::vector<System> systems = fake_systems();
  return load_scenario_text("system = \"pendulum\"\n" + events, "s.toml", {}, systems).options;
}

TEST(EventKeys, AreRead) {
  EXPECT_TRUE(options_of("").events.empty());
  const Options options = options_of(
      "[[events]]\nname = 'top'\nwhen = 'x - pi/2'\n"
      "[[events]]\nname = 'turn'\nwhen = 'p_x'\ndirection = 'falling'\naction = 'record'\n");
  ASSERT_EQ(options.events.size(), 2U);
  EXPECT_EQ(options.events[0].name, "top");
  EXPECT_EQ(options.events[0].when, "x - pi/2");
  EXPECT_EQ(options.events[0].direction, Crossing::any);
  EXPECT_EQ(options.events[0].action, EventAction::stop);
  EXPECT_EQ(options.events[1].direction, Crossing::falling);
  EXPECT_EQ(options.events[1].action, EventAction::record);
  EXPECT_EQ(options.watch.count, 2);
}

TEST(EventKeys, AConditionIsToComeToHold) {
  const Options options = options_of(
      "[[events]]\nname = 'low'\nwhen = 'z < 0 and t > 0.1'\n"
      "[[events]]\nname = 'both'\nwhen = 'z < 0'\ndirection = 'any'\n");
  EXPECT_EQ(options.events[0].direction, Crossing::rising);
  EXPECT_EQ(options.events[1].direction, Crossing::any);
}

TEST(EventKeys, AreOverridden) {
  static const std::vector<System> systems = fake_systems();
  const Scenario scenario =
      load_scenario("pendulum", {"events=[{name='a', when='z'}, {name='b', when='z - L', action='record'}]"}, systems);
  ASSERT_EQ(scenario.options.events.size(), 2U);
  const Scenario again = load_scenario_text(scenario.text, "again", {}, systems);
  EXPECT_EQ(again.text, scenario.text);
  EXPECT_EQ(again.options.events[1].when, "z - L");
}

TEST(EventKeys, NamesAreAsLongAsAFileTakes) {
  const std::string longest(64, 'n');
  EXPECT_EQ(options_of("[[events]]\nname = '" + longest + "'\nwhen = 'z'").events[0].name, longest);
  const ScratchFolder folder;
  const std::string text = "system = \"pendulum\"\n[[events]]\nname = 'n" + longest + "'\nwhen = 'z'";
  EXPECT_NE(failure_of(folder, folder.write("s.toml", text))
                .message.find("s.toml:3: events[1].name: expected a name of letters, digits and _, at most 64, found"),
            std::string::npos);
}

struct Case {
  const char* text;
  const char* message;
};

const Case cases[] = {
    {"name = 'a'\nwhen = 't + zz - 1'",
     "s.toml:4: events[1].when: there is no zz; did you mean z?\n    t + zz - 1\n        ^^"},
    {"name = 'a'\nwhen = '2 * sine(z)'",
     "s.toml:4: events[1].when: there is no function sine; did you mean sin?\n    2 * sine(z)\n        ^^^^"},
    {"name = 'a'\nwhen = 'z = 1'",
     "s.toml:4: events[1].when: expected an operator or the end, found '='\n    z = 1\n      ^"},
    {"name = 'a'\nwhen = '(z'", "s.toml:4: events[1].when: expected an operator or ), found the end\n    (z\n      ^"},
    {"name = 'a'\nwhen = ''", "s.toml:4: events[1].when: expected text that is not empty, found \"\""},
    {"name = 'a'\nwhen = 'z < 1 and z'",
     "s.toml:4: events[1].when: expected a comparison such as a < b, found a number\n"
     "    z < 1 and z\n              ^"},
    {"name = 'a'\nwhen = 'L > 2'",
     "s.toml:4: events[1].when: expected an expression of t, coordinates or rates, which can go through zero, found "
     "\"L > 2\""},
    {"name = 'a'\nwhen = 'L - 2*pi'",
     "s.toml:4: events[1].when: expected an expression of t, coordinates or rates, which can go through zero, found "
     "\"L - "
     "2*pi\""},
    {"name = 'a'", "s.toml:2: events[1]: when is missing; add when = \"...\", an expression that goes through zero"},
    {"when = 'z'", "s.toml:2: events[1]: name is missing; add name = \"...\", which the output calls the event by"},
    {"name = 'a b'\nwhen = 'z'",
     "s.toml:3: events[1].name: expected a name of letters, digits and _, at most 64, found \"a b\""},
    {"name = 'a'\nwhen = 'z'\ndirection = 'raising'",
     "s.toml:5: events[1].direction: expected one of rising, falling, any, found \"raising\"; did you mean rising?"},
    {"name = 'a'\nwhen = 'z'\naction = 'halt'",
     "s.toml:5: events[1].action: expected one of stop, record, found \"halt\""},
    {"name = 'a'\nwhen = 'z'\nactions = 'stop'", "s.toml:5: events[1].actions: unknown key; did you mean action?"},
    {"name = 'a'\nwhen = 'z'\n[[events]]\nname = 'a'\nwhen = 'z'",
     "s.toml:6: events[2].name: expected a name that no other event has, found \"a\""},
    {"name = 'a'\nwhen = 'z \u2212 1'",
     "s.toml:4: events[1].when: expected an operator or the end, found '\u2212'; did you mean -?\n"
     "    z \u2212 1\n      ^"},
    {"name = 'a'\nwhen = 'z - \u00e9'",
     "s.toml:4: events[1].when: expected a number, a name, a function or (, found '\u00e9'\n"
     "    z - \u00e9\n        ^"},
    {"name = 'a'\nwhen = 'z'\n[solver]\npseudo_inverse = 'cusolver'",
     "s.toml:2: events[1]: events are watched with solver.pseudo_inverse = \"svd\", \"qr\" or \"ldlt\", found "
     "\"cusolver\""},
};

TEST(EventKeys, WrongOnesAreNamed) {
  const ScratchFolder folder;
  for (const Case& c : cases) {
    const std::string file = folder.write("s.toml", std::string("system = \"pendulum\"\n[[events]]\n") + c.text);
    const Failure failure = failure_of(folder, file);
    EXPECT_EQ(failure.message, c.message);
    EXPECT_EQ(failure.code, ExitCode::bad_input);
  }
}

TEST(EventKeys, AreTablesAndNotTooMany) {
  const ScratchFolder folder;
  const auto message = [&](const std::string& text) {
    return failure_of(folder, folder.write("s.toml", "system = \"pendulum\"\n" + text)).message;
  };
  EXPECT_EQ(message("events = 3"), "s.toml:2: events: expected tables [[events]], found 3");
  EXPECT_EQ(message("[events]\nname = 'a'"), "s.toml:2: events: expected tables [[events]], found a table");
  EXPECT_EQ(message("events = [1]"), "s.toml:2: events[1]: expected a table, found 1");
  std::string many;
  for (int i = 1; i <= 53; ++i) many += "[[events]]\nname = 'e" + std::to_string(i) + "'\nwhen = 'z'\n";
  EXPECT_EQ(message(many), "s.toml:158: events[53]: expected at most 52 events");
}

}  // namespace
}  // namespace kalaba
