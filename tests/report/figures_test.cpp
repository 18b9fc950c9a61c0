#include "report/paper/figures.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <set>

#include "drawn_curves.hpp"
#include "kalaba/error.hpp"
#include "output_data/fake_run.hpp"
#include "report/paper/figure_data.hpp"
#include "report/paper/plot_figure.hpp"
#include "support/error_of.hpp"
#include "support/has.hpp"

namespace kalaba {
namespace {

using Point = std::array<double, 2>;

Error error_of(const std::string& name, const std::string& output) {
  return test::error_of([&] { plot_figure(name, output); });
}

/// The points of a figure's curve.
std::vector<Point> points_of(const std::string& name, std::size_t panel, std::size_t curve) {
  const PaperFigure& figure = find_figure(name);
  const FigurePanel& frame = figure.panels.at(panel);
  return FigureData(figure).points(frame, frame.curves.at(curve));
}

/// The y of the point at x.
double at(const std::vector<Point>& points, double x) {
  for (const Point& point : points) {
    if (std::abs(point[0] - x) < 1e-9) return point[1];
  }
  ADD_FAILURE() << "no point at " << x;
  return 0;
}

double greatest(const std::vector<Point>& points) {
  double most = 0;
  for (const Point& point : points) most = std::max(most, std::abs(point[1]));
  return most;
}

TEST(Figures, NameWhatTheirSystemsHave) {
  std::set<std::string> names;
  for (const PaperFigure& figure : figures()) {
    SCOPED_TRACE(figure.name);
    EXPECT_TRUE(names.insert(figure.name).second) << "a name for two figures";
    // The paper's swarm, by the matrices that it states.
    const std::string& first = figure.runs.front().system;
    const std::string of = first == "swarm_matrix" ? "swarm" : first;
    EXPECT_TRUE(figure.name.starts_with(of + "_"));
    EXPECT_EQ(&find_figure(figure.name), &figure);
    EXPECT_FALSE(figure.panels.empty());
    for (const FigurePanel& panel : figure.panels) {
      for (const FigureCurve& curve : panel.curves) {
        const SystemInfo& system = figure_system(figure.runs.at(curve.run).system).info;
        EXPECT_NO_THROW(figure_column(system, curve.y));
        if (!curve.x.empty()) {
          EXPECT_NO_THROW(figure_column(system, curve.x));
        }
        EXPECT_EQ(curve.title.empty(), panel.curves.size() == 1) << "a key tells curves apart";
      }
    }
  }
  for (const char* asked :
       {"logarithmic_spiral_2", "logarithmic_spiral_3", "logarithmic_spiral_4", "logarithmic_spiral_5", "swarm_7",
        "swarm_8", "flexible_manipulator_10", "flexible_manipulator_11", "perpendicular_velocities_1"}) {
    EXPECT_TRUE(names.contains(asked)) << asked;
  }
}

TEST(Figures, EveryPointCanBePlaced) {
  for (const PaperFigure& figure : figures()) {
    const FigureData data(figure);
    for (const FigurePanel& panel : figure.panels) {
      for (const FigureCurve& curve : panel.curves) {
        const std::vector<Point> points = data.points(panel, curve);
        EXPECT_GE(points.size(), 500U) << figure.name;
        for (const auto& [x, y] : points) ASSERT_TRUE(std::isfinite(x) && std::isfinite(y)) << figure.name;
      }
    }
  }
}

TEST(Figures, SpiralRunsInwardsToUnitRadius) {
  const std::vector<Point> path = points_of("logarithmic_spiral_4", 0, 0);
  EXPECT_NEAR(path.front()[0], std::exp(3.0) * std::cos(30.0), 1e-12);
  EXPECT_NEAR(path.front()[1], std::exp(3.0) * std::sin(30.0), 1e-12);
  EXPECT_NEAR(path.back()[0], 1, 1e-8);
  EXPECT_NEAR(path.back()[1], 0, 1e-8);
}

TEST(Figures, SwarmErrorFallsWithFeedbackAlone) {
  const std::vector<Point> with_feedback = points_of("swarm_8", 0, 0);
  EXPECT_NEAR(at(with_feedback, 1), 0.3118984328547427, 1e-8);
  EXPECT_NEAR(at(with_feedback, 2), 2.1015551e-3, 1e-9);
  const std::vector<Point> alone = points_of("swarm_8", 0, 1);
  EXPECT_NEAR(at(alone, 0), 46.289831739115, 1e-11);
  EXPECT_NEAR(at(alone, 5), 46.289831739115, 1e-6);
}

TEST(Figures, ManipulatorErrorFallsExponentially) {
  EXPECT_NEAR(at(points_of("flexible_manipulator_10", 1, 0), 1.8), 0.9 * std::exp(-4 * 1.8), 1e-10);
}

TEST(Figures, PucksArePerpendicularOnlyUnderTheConstraint) {
  const std::string name = "perpendicular_velocities_1";
  // v = (0.3 + t, 0.4) and (0.4 + t / 2, -0.3) from (1, -2) and (1, 2).
  EXPECT_NEAR(points_of(name, 0, 0).back()[0], 1 + 0.3 * 5 + 12.5, 1e-10);
  EXPECT_NEAR(points_of(name, 0, 1).back()[1], 2 - 0.3 * 5, 1e-10);
  EXPECT_NEAR(points_of(name, 1, 0).back()[0], 9.55660135, 1e-8);
  EXPECT_NEAR(points_of(name, 1, 1).back()[1], -3.20678394, 1e-8);
  // lambda(0) = -(m1 f2 . v1 + m2 f1 . v2) / (m1 v1^2 + m2 v2^2)
  EXPECT_NEAR(at(points_of(name, 2, 0), 0), -(0.3 + 2 * 0.4) / 0.75, 1e-12);
  EXPECT_LT(greatest(points_of(name, 3, 0)), 1e-9);
  EXPECT_LT(greatest(points_of(name, 3, 1)), 1e-15);
}

class FigurePicture : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("gnuplot --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "gnuplot is not installed";
  }
  TemporaryFolder folder_;
};

TEST_F(FigurePicture, EachShowsAllItsPanels) {
  for (const PaperFigure& figure : figures()) {
    const std::string picture = folder_ / (figure.name + ".svg");
    EXPECT_EQ(plot_figure(figure.name, picture), picture);
    const std::string svg = bytes_of(picture);
    EXPECT_TRUE(has(svg, "</svg>")) << figure.name;
    EXPECT_TRUE(has(svg, figure.shows)) << figure.name;
    EXPECT_TRUE(has(svg, figure.source)) << figure.name;
    long curves = 0;
    for (const FigurePanel& panel : figure.panels) {
      EXPECT_TRUE(has(svg, panel.heading)) << figure.name;
      curves += static_cast<long>(panel.curves.size());
    }
    EXPECT_GE(drawn_curves(svg), curves) << figure.name;
  }
  EXPECT_EQ(folder_.names().size(), figures().size());
}

TEST_F(FigurePicture, IsAPngToo) {
  plot_figure("logarithmic_spiral_4", folder_ / "path.png");
  EXPECT_TRUE(bytes_of(folder_ / "path.png").starts_with("\x89PNG"));
}

TEST_F(FigurePicture, IsRefusedWithoutLeavingAnything) {
  const Error name = error_of("swarm8", folder_ / "a.png");
  EXPECT_EQ(name.code(), ExitCode::bad_input);
  EXPECT_TRUE(has(name.what(), "did you mean swarm_8?")) << name.what();
  EXPECT_EQ(error_of("swarm_8", folder_ / "a.pdf").code(), ExitCode::bad_input);
  EXPECT_EQ(error_of("swarm_8", folder_ / "missing/a.png").code(), ExitCode::file_error);
  EXPECT_TRUE(folder_.names().empty());
}

}  // namespace
}  // namespace kalaba
