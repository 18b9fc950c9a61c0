#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "kalaba/option_table.hpp"
#include "scenario/option_text.hpp"
#include "scenario/read_options.hpp"
#include "scenario/scenario.hpp"
#include "scenarios/fake_systems.hpp"
#include "support/error_of.hpp"

namespace kalaba {
namespace {

double toy_value = 0;

/// The table with one more row.
std::vector<RunOption> table_with_toy() {
  toy_value = 1.5;
  const OptionMember member = {[](const Options&) { return toy_value; },
                               [](Options&, double value) { toy_value = value; }};
  std::vector<RunOption> rows = option_table();
  rows.push_back({"solver.toy", NumberOption{member, {.least = 1, .most = 9}}, "a number of a test"});
  return rows;
}

std::string message_of(const std::string& text, const std::vector<RunOption>& rows) {
  Document document = Document::of_text(text, "s.toml");
  return test::message_of([&] {
    document.find("system");
    read_options(document, fake_pendulum(), rows);
    document.refuse_unknown_keys();
  });
}

TEST(OptionTable, ARowIsAllThatAnOptionNeeds) {
  const std::vector<RunOption> rows = table_with_toy();
  EXPECT_NE(scenario_template(fake_pendulum(), rows).find("\n# toy = 1.5"), std::string::npos);
  EXPECT_NE(scenario_template(fake_pendulum(), rows).find("# a number of a test\n"), std::string::npos);
  EXPECT_NE(options_page(rows).find("\n| `solver.toy` | a number of a test | `1.5` |\n"), std::string::npos);
  EXPECT_EQ(python_type(rows.back()), "float");

  EXPECT_EQ(message_of("[solver]\ntoy = 3", rows), "");
  EXPECT_EQ(toy_value, 3);
  EXPECT_NE(toml_options("solver", Options{}, false, rows).find("\ntoy = 3.0\n"), std::string::npos);
  EXPECT_EQ(message_of("[solver]\ntoy = 10", rows), "s.toml:2: solver.toy: expected a number from 1 to 9, found 10");
  EXPECT_NE(message_of("[solver]\ntoy = 3", option_table()), "");
}

TEST(OptionTable, NamesEachOptionOnce) {
  std::set<std::string_view> keys;
  for (const RunOption& option : option_table()) EXPECT_TRUE(keys.insert(option.key).second) << option.key;
}

/// Rows of a text whose key is in a table of options.
std::set<std::string> rows_of(std::istream& text) {
  std::set<std::string> rows;
  for (std::string line; std::getline(text, line);) {
    const bool is_option = line.starts_with("| `time.") || line.starts_with("| `solver.") ||
                           (line.starts_with("| `output.") && !line.starts_with("| `output.file`"));
    if (is_option) rows.insert(line);
  }
  return rows;
}

TEST(OptionTable, IsInTheDocuments) {
  std::ifstream page(std::string(KALABA_SOURCE_DIR) + "/docs/scenario.md");
  std::istringstream expected(options_page());
  EXPECT_EQ(rows_of(page), rows_of(expected)) << "docs/scenario.md: copy the rows of `kalaba list --options`";
}

}  // namespace
}  // namespace kalaba
