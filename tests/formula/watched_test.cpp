// Event expressions: random expressions from graph to text, and from text to the program of a watch, by every
// evaluator.

#include "formula/text/watched.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "backend/reference/events.hpp"
#include "formula/graph/print.hpp"
#include "formula/graph/program.hpp"
#include "kalaba/backend/pack.hpp"
#include "kalaba/core/events/watch.hpp"
#include "random_expressions.hpp"

namespace kalaba::formula {
namespace {

SystemInfo named() {
  SystemInfo info;
  info.parameters = {{"a", "kg", 0, ""}, {"b", "m/s", 0, ""}};
  info.coordinates = {{"x", "m", 0, ""}, {"y", "m", 0, ""}, {"z", "rad", 0, ""}};
  info.rates = {{"u", "m/s", 0, ""}, {"v", "1/s", 0, ""}};
  return info;
}

struct Point {
  std::vector<double> p, q, w;
  double t;
};

bool same(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= 1e-11 * std::max(1.0, std::abs(b));
}

/// The watch's program by the core on numbers and packs, and by the reference.
void expect_value(const Expression& program, const Point& x, double expected, const std::string& text) {
  EXPECT_TRUE(same(value_of<double>(program, x.p.data(), {x.t, x.q.data(), x.w.data()}), expected)) << text;
  using X = Pack<double>;
  const auto packs = [](const std::vector<double>& numbers) { return std::vector<X>(numbers.begin(), numbers.end()); };
  const std::vector<X> p = packs(x.p);
  const std::vector<X> q = packs(x.q);
  const std::vector<X> w = packs(x.w);
  const X value = value_of<X>(program, p.data(), {X(x.t), q.data(), w.data()});
  EXPECT_TRUE(same(lane_of(value, X::lanes - 1), expected)) << text;
  const auto vector = [](const std::vector<double>& numbers) {
    return reference::Vector(Eigen::Map<const reference::Vector>(numbers.data(), static_cast<long>(numbers.size())));
  };
  const reference::Instant instant = {vector(x.p), x.t, vector(x.q), vector(x.w)};
  EXPECT_TRUE(same(reference::value_of(program, instant, {}), expected)) << text;
}

TEST(Watched, RandomExpressionsHaveTheInterpretersValues) {
  const SystemInfo info = named();
  int read = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    Graph graph;
    RandomExpressions random(graph, seed);
    const Id id = seed % 3 == 0 ? random.mask(2) : random.number(static_cast<int>(seed % 4));
    const Id roots[] = {id};
    const Printer print(graph, info, Notation::text, roots);
    if (!print.parts().empty()) continue;
    const std::string text = print(id);
    Watched watched;
    try {
      watched = read_watched(text, info);
    } catch (const Fault& fault) {
      EXPECT_NE(std::string(fault.what()).find("expected at most"), std::string::npos) << text << fault.what();
      continue;
    }
    ++read;
    EXPECT_EQ(watched.is_condition, graph.is_mask(id)) << text;
    for (int i = 0; i < 3; ++i) {
      const Point x = {random.point(2), random.point(3), random.point(2), random.point(1)[0]};
      const double value = Program(graph, roots)({x.p.data(), x.q.data(), x.w.data(), nullptr, &x.t})[0];
      expect_value(watched.program, x, watched.is_condition ? 2 * value - 1 : value, text);
    }
  }
  EXPECT_GT(read, 250);
}

TEST(Watched, PrecedenceIsThatOfTheGrammar) {
  const SystemInfo info = named();
  Point at = {{1, 2}, {3, 4, 5}, {6, 7}, 0.5};
  const auto value = [&](const std::string& text) {
    return value_of<double>(read_watched(text, info).program, at.p.data(), {at.t, at.q.data(), at.w.data()});
  };
  EXPECT_EQ(value("x < 1 and y > 1 or z > 1"), 1);
  EXPECT_EQ(value("x < 1 and (y > 1 or z > 1)"), -1);
  EXPECT_EQ(value("not x < 1 and y < 1"), -1);
  EXPECT_EQ(value("not (x < 1 and y < 1)"), 1);
  EXPECT_EQ(value("-x^2"), -9);
  EXPECT_EQ(value("2^x^2"), 512);
  EXPECT_EQ(value("clamp(x, 0, 2) + norm(x, y) + dot(a, b, x, y) + min(x, y, a)"), 2 + 5 + 11 + 1);
}

}  // namespace
}  // namespace kalaba::formula
