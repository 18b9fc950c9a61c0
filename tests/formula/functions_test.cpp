// Every function of the table of functions, and one added by the test, in all uses of expressions: text, derivatives,
// LaTeX, emitted code, and events on each backend. python/tests/test_recording.py tests those of Python.

#include "formula/graph/functions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <regex>

#include "backend/reference/events.hpp"
#include "formula/code/function_writer.hpp"
#include "formula/graph/differentiate.hpp"
#include "formula/graph/fault.hpp"
#include "formula/graph/print.hpp"
#include "formula/graph/program.hpp"
#include "formula/text/watched.hpp"
#include "kalaba/backend/pack.hpp"
#include "kalaba/core/events/watch.hpp"

namespace kalaba::formula {
namespace {

constexpr double second_argument = 0.2;

SystemInfo angles() {
  SystemInfo info;
  info.coordinates = {{"x", "rad", 0, ""}};
  return info;
}

/// Text of the function of the coordinate x, and of numbers if it has more arguments.
std::string text_of(const Function& function) {
  return std::string(function.name) + (function.least == 1 ? "(x)" : "(x, 0.2)");
}

Id call_of(Graph& graph, const Function& function) {
  std::vector<Id> arguments = {graph.symbol(Op::coordinate, 0)};
  if (function.least == 2) arguments.push_back(graph.number(second_argument));
  return call(graph, function.name, arguments);
}

double value_at(const Graph& graph, Id id, double x) { return Program(graph, std::vector<Id>{id})({nullptr, &x})[0]; }

/// The value of an event's expression by the core on numbers and on packs, and by the reference.
std::array<double, 3> event_values(const std::string& text, double x) {
  const Expression program = read_watched(text, angles()).program;
  using X = Pack<double>;
  const X pack(x);
  const X on_pack = value_of<X>(program, nullptr, {X(0.0), &pack, nullptr});
  reference::Instant instant;
  instant.q = reference::Vector::Constant(1, x);
  return {value_of<double>(program, nullptr, {0.0, &x, nullptr}), lane_of(on_pack, 0),
          reference::value_of(program, instant, {})};
}

void expect_close(double found, double expected, double tolerance, const std::string& what) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(found)) << what << ": " << found;
  } else {
    EXPECT_NEAR(found, expected, tolerance * std::max(1.0, std::abs(expected))) << what;
  }
}

/// Checks the derivative, notation, code and events of a function with the value `expected`.
void expect_everywhere(const Function& function, double (*expected)(double)) {
  const std::string text = text_of(function);
  Graph graph;
  const Id id = call_of(graph, function);
  const Id slope = derivative(graph, id, graph.symbol(Op::coordinate, 0));
  for (const double x : {-1.3, -0.4, 0.3, 0.8, 2.5}) {
    expect_close(value_at(graph, id, x), expected(x), 1e-15, text);
    for (const double value : event_values(text, x)) expect_close(value, expected(x), 1e-14, text + " as an event");
    const double h = 1e-5;
    const double difference = (expected(x + h) - expected(x - h)) / (2 * h);
    if (std::isfinite(difference)) expect_close(value_at(graph, slope, x), difference, 1e-8, text + "'");
  }
  const SystemInfo info = angles();
  const std::string latex = Printer(graph, info, Notation::latex, std::vector<Id>{id})(id);
  EXPECT_NE(latex.find('\\'), std::string::npos) << latex;
  const std::string printed = Printer(graph, info, Notation::text, std::vector<Id>{id})(id);
  for (const double value : event_values(printed, 0.3)) expect_close(value, expected(0.3), 1e-14, printed);
  FunctionWriter body(graph, nullptr, "Model");
  body.compute(std::vector<Id>{id});
  EXPECT_NE(body.lines().find("q[0]"), std::string::npos) << body.lines();
}

TEST(Functions, OfTheTableGoWhereExpressionsGo) {
  int found = 0;
  for (const Function* function : all_functions()) {
    if (function->compose != nullptr) continue;
    static const Function* tested;
    tested = function;
    expect_everywhere(*function, [](double x) { return tested->value(x, tested->least == 2 ? second_argument : 0); });
    ++found;
  }
  EXPECT_EQ(found, 15);
}

TEST(Functions, HaveTheStatedParity) {
  for (const Function* function : all_functions()) {
    if (function->compose != nullptr || function->most != 1) continue;
    const double positive = function->value(0.3, 0);
    const double negative = function->value(-0.3, 0);
    EXPECT_EQ(function->parity == Parity::odd, negative == -positive) << function->name;
    EXPECT_EQ(function->parity == Parity::even, negative == positive) << function->name;
  }
}

TEST(Functions, HaveTheStatedKinks) {
  for (const Function* function : all_functions()) {
    if (function->compose != nullptr) continue;
    Graph graph;
    const Id slope = derivative(graph, call_of(graph, *function), graph.symbol(Op::coordinate, 0));
    bool jumps = function->name == "sign";  // whose slope is 0 on both sides of a jump of the value
    for (const double x : {0.0, second_argument}) {
      const double below = value_at(graph, slope, x - 1e-9);
      const double above = value_at(graph, slope, x + 1e-9);
      const bool is_pole = !(std::abs(below) < 1e3 && std::abs(above) < 1e3);
      jumps = jumps || (!is_pole && std::abs(below - above) > 0.5);
    }
    EXPECT_EQ(function->kinked, jumps) << function->name;
  }
}

TEST(Functions, HaveTheSteepnessOfTheirDerivatives) {
  for (const Function* function : all_functions()) {
    if (function->compose != nullptr || function->most != 1) continue;
    Graph graph;
    const Id slope = derivative(graph, call_of(graph, *function), graph.symbol(Op::coordinate, 0));
    for (const double x : {-0.7, 0.3, 0.8, 2.5}) {
      const double value = function->value(x, 0);
      if (!std::isfinite(value)) continue;
      const double steepness = function->steepness == nullptr ? 0 : function->steepness(x, value);
      expect_close(steepness, std::abs(value_at(graph, slope, x)), 1e-14, std::string(function->name));
    }
  }
}

TEST(Functions, AreDocumented) {
  std::ifstream file(KALABA_SOURCE_DIR "/docs/models.md");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  ASSERT_FALSE(page.empty());
  for (const Function* function : all_functions()) {
    const std::regex in_code("`[^`\n]*\\b" + std::string(function->name) + "\\b[^`\n]*`");
    EXPECT_TRUE(std::regex_search(page, in_code)) << function->name;
  }
}

TEST(Functions, AreAddedInOnePlace) {
  const Function softsign = {
      .name = "softsign",
      .meaning = "x / (1 + |x|)",
      .kinked = true,
      .compose = [](Graph& g,
                    const std::vector<Id>& x) { return g.divide(x[0], g.add(g.number(1), g.unary(Op::abs, x[0]))); },
  };
  EXPECT_THROW(read_watched("softsign(x)", angles()), Fault);
  EXPECT_FALSE(is_reserved("softsign"));
  {
    const AddedFunction added(softsign);
    expect_everywhere(softsign, [](double x) { return x / (1 + std::abs(x)); });
    EXPECT_TRUE(is_reserved("softsign"));
    EXPECT_THROW(read_watched("softsign(x, x)", angles()), Fault);
    try {
      read_watched("softsin(x)", angles());
      ADD_FAILURE() << "expected a Fault";
    } catch (const Fault& fault) {
      EXPECT_EQ(std::ranges::count(fault.words, "softsign"), 1) << "messages name the nearest of these";
    }
  }
  EXPECT_THROW(read_watched("softsign(x)", angles()), Fault);
}

}  // namespace
}  // namespace kalaba::formula
