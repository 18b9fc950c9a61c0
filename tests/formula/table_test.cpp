#include "formula/graph/table.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "emitted_case.hpp"
#include "formula/graph/differentiate.hpp"
#include "formula/graph/program.hpp"
#include "kalaba/core/base/differentiation.hpp"
#include "kalaba/core/base/table.hpp"
#include "words.hpp"

namespace kalaba::formula {
namespace {

std::vector<double> places(int count, double length) {
  std::vector<double> x;
  for (int i = 0; i < count; ++i) x.push_back(length * (i + 0.3 * std::sin(i)) / count);  // of uneven distance
  return x;
}

std::shared_ptr<const Table> sines(int count, Interpolation between, double length = 6) {
  const std::vector<double> x = places(count, length);
  std::vector<double> y;
  for (const double each : x) y.push_back(std::sin(each));
  return std::make_shared<const Table>("sines.csv", between, x, y);
}

TEST(Tables, GoThroughTheirValuesWithContinuousSlopeAndCurvature) {
  const auto cubic = sines(20, Interpolation::cubic);
  const std::vector<double> x = places(20, 6);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR((*cubic)(0, x[i]), std::sin(x[i]), 1e-15);
    if (i == 0 || i + 1 == x.size()) {
      EXPECT_NEAR((*cubic)(2, x[i]), 0, 1e-13) << "a natural spline";
      continue;
    }
    for (int order = 0; order < 3; ++order) {
      EXPECT_NEAR((*cubic)(order, std::nextafter(x[i], 0)), (*cubic)(order, x[i]), 1e-12) << order << " at " << x[i];
    }
  }
}

TEST(Tables, ComeNearerByTheFourthPowerOfTheDistance) {
  const auto error = [](int count) {
    const auto table = sines(count, Interpolation::cubic, std::acos(-1));  // whose curvature is zero at both ends
    double worst = 0;
    for (double x = 0.5; x < 2.5; x += 0.01) worst = std::max(worst, std::abs((*table)(0, x) - std::sin(x)));
    return worst;
  };
  EXPECT_NEAR(std::log2(error(40) / error(80)), 4, 0.4);
}

TEST(Tables, HaveTheDerivativesOfTheirValues) {
  for (const Interpolation between : {Interpolation::linear, Interpolation::cubic}) {
    const auto table = sines(15, between);
    constexpr double h = 1e-6;
    for (int order = 0; order < table->degree(); ++order) {
      for (double x = 0.31; x < 5; x += 0.37) {
        const double slope = ((*table)(order, x + h) - (*table)(order, x - h)) / (2 * h);
        EXPECT_NEAR((*table)(order + 1, x), slope, 1e-7) << order << " at " << x;
      }
    }
  }
}

TEST(Tables, FindTheirRowHoweverUnevenTheirPlacesAre) {
  for (const double ratio : {1.0, 1.3, 3.0, 1 / 1.3, 1 / 3.0}) {
    std::vector<double> x = {0};
    for (int i = 0; i < 30; ++i) x.push_back(x.back() + std::pow(ratio, i));
    const Table table("uneven.csv", Interpolation::linear, x, x);
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
      for (const double at : {x[i], x[i] + 0.25 * (x[i + 1] - x[i]), std::nextafter(x[i + 1], 0)}) {
        const int row = row_below(table.rows().data(), table.count(), table.width(), at / x.back(), at);
        EXPECT_EQ(row, static_cast<int>(i)) << at;
      }
    }
    EXPECT_EQ(row_below(table.rows().data(), table.count(), table.width(), 1, x.back()), 29);
  }
}

TEST(Tables, HaveNoValueBesideTheirPlaces) {
  const Table line("line.csv", Interpolation::linear, {1, 2, 4}, {0, 2, 3});
  EXPECT_DOUBLE_EQ(line(0, 3), 2.5);
  EXPECT_DOUBLE_EQ(line(1, 1), 2);
  EXPECT_DOUBLE_EQ(line(0, 4), 3);
  EXPECT_DOUBLE_EQ(line(0, 4 + 1e-10), 3 + 0.5e-10) << "what rounding may make of the end";
  for (const double beside : {0.99, 4.01, -1e300, 1e300, std::nan(""), double(INFINITY)}) {
    EXPECT_TRUE(std::isnan(line(0, beside))) << beside;
    EXPECT_TRUE(std::isnan(line(1, beside))) << beside;
  }
}

TEST(Tables, AreDifferentiatedByGraphAndDualNumbers) {
  const auto table = sines(12, Interpolation::cubic);
  Graph graph;
  const Id x = graph.symbol(Op::coordinate, 0);
  const Id f = graph.table(table, 0, graph.multiply(x, x));
  const Id slope = derivative(graph, f, x);
  const Id roots[] = {f, slope, derivative(graph, slope, x)};
  const double at = 1.3;
  const std::vector<double> values = Program(graph, roots)({.coordinates = &at});
  const double y = at * at;
  EXPECT_DOUBLE_EQ(values[0], (*table)(0, y));
  EXPECT_DOUBLE_EQ(values[1], (*table)(1, y) * 2 * at);
  EXPECT_NEAR(values[2], (*table)(2, y) * 4 * y + (*table)(1, y) * 2, 1e-14);
  const Taylor<double> series = {at, 1, 0};
  const auto moved = table_at<3>(table->rows().data(), table->count(), 0, series * series);
  EXPECT_DOUBLE_EQ(moved.value, values[0]);
  EXPECT_DOUBLE_EQ(moved.first, values[1]);
  EXPECT_NEAR(moved.second, values[2], 1e-14);
  EXPECT_TRUE(graph.is_number(graph.table(table, 4, x), 0));
  EXPECT_EQ(graph.table(sines(12, Interpolation::cubic), 0, x), graph.table(table, 0, x)) << "equal ones are one";
}

TEST(Tables, AreEmittedAsTheyAreInterpreted) {
  Case all;
  for (unsigned seed = 0; seed < 4; ++seed) {
    Draft draft = on_a_road();
    add_case(draft, all, seed);
  }
  for (const char* compiler : {KALABA_CXX, "clang++"}) {
    if (!is_there(compiler)) continue;
    EmittedProgram emitted(program(all));
    ASSERT_EQ(emitted.compile(compiler, exact), "");
    expect_same(emitted.run(), all.expected, 1e-12);
  }
}

}  // namespace
}  // namespace kalaba::formula
