// Drawings of mechanisms: parsed from text, for the catalogue's systems and others.

#include "report/data/drawing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "kalaba/ensemble.hpp"
#include "kalaba/error.hpp"
#include "output_data/fake_run.hpp"
#include "report/figure/mechanism_panels.hpp"
#include "support/error_of.hpp"
#include "support/has.hpp"

namespace kalaba {
namespace {

std::string refusal(const std::string& text) {
  return test::message_of([&] { read_drawing(text, fake_system()); });
}

TEST(Drawing, IsReadFromText) {
  const Drawing drawing =
      read_drawing("cart = (a, b - 1); (0, 0) -- cart -- (m*cos(angle), t); curve (m*cos(s), m*sin(s))", fake_system());
  EXPECT_EQ(drawing.dimensions, 2);
  ASSERT_EQ(drawing.points.size(), 3U);
  EXPECT_TRUE(drawing.points[0].place.moves);
  EXPECT_FALSE(drawing.points[1].place.moves);
  EXPECT_EQ(drawing.lines.at(0).points, (std::vector<std::size_t>{1, 0, 2}));
  ASSERT_EQ(drawing.curves.size(), 1U);
  EXPECT_FALSE(drawing.curves[0].moves);
  const std::vector<double> p = {3, 2};
  const std::vector<double> q = {5, 7, M_PI};
  const std::vector<double> w = {0, 0};
  EXPECT_EQ(place_of(drawing, drawing.points[0].place, p, 4, q, w), (std::array<double, 3>{5, 6, 0}));
  EXPECT_EQ(place_of(drawing, drawing.points[2].place, p, 4, q, w), (std::array<double, 3>{-3, 4, 0}));
  EXPECT_NEAR(place_of(drawing, drawing.curves[0], p, 4, q, w, M_PI / 2)[1], 3, 1e-15);
}

TEST(Drawing, FaultsAreNamed) {
  EXPECT_TRUE(has(refusal("cart = (a, c)"), "\"c\": there is no c"));
  EXPECT_TRUE(has(refusal("cart = (angel, b)"), "did you mean angle?"));
  EXPECT_TRUE(has(refusal("cart = (a, b); cort -- (0, 0)"), "there is no point 'cort'; did you mean cart?"));
  EXPECT_TRUE(has(refusal("cart = (a, b); cart = (b, a)"), "a name that no other point has"));
  EXPECT_TRUE(has(refusal("cart = (a, b, 0); top = (a, b)"), "expected 3 numbers in every place, found 2"));
  EXPECT_TRUE(has(refusal("cart = (a)"), "expected 2 or 3 numbers"));
  EXPECT_TRUE(has(refusal("cart = a, b"), "expected a place"));
  EXPECT_TRUE(has(refusal("(0, 0)"), "expected NAME = (x, y)"));
  EXPECT_TRUE(has(refusal(""), "expected a point"));
  EXPECT_TRUE(has(refusal("(((("), "expected"));
}

double length(const Drawing& drawing, const std::vector<double>& p, double t, const std::vector<double>& q,
              const std::vector<double>& w, std::size_t from, std::size_t to) {
  const auto a = place_of(drawing, drawing.points[from].place, p, t, q, w);
  const auto b = place_of(drawing, drawing.points[to].place, p, t, q, w);
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// Segments that stand for springs or that slide.
bool is_rigid(const std::string& system) {
  return system != "split_oscillator" && system != "car_axis" && system != "balanced_rod";
}

/// Every system of the catalogue but free agents has a drawing, and rods keep their length on their way.
TEST(Drawing, OfTheCatalogueKeepsRodsRigid) {
  std::set<std::string> seen;
  for (const System& system : catalogue()) {
    if (system.info.name == "swarm_matrix" || !seen.insert(system.info.name).second) continue;
    const std::string text = drawing_of(system.info.name, system.info.coordinates.size());
    ASSERT_FALSE(text.empty()) << system.info.name;
    const Drawing drawing = read_drawing(text, system.info);
    if (!is_rigid(system.info.name)) continue;
    Options options = default_options(system);
    options.backend = Backend::reference;  // which need not be compiled
    options.time.end = options.time.start + 200 * options.time.dt;
    options.time.save_every = 100;
    const Result result = run(Ensemble(system, 1), options);
    std::vector<double> p;
    for (const Variable& each : system.info.parameters) p.push_back(each.value);
    std::vector<double> lengths;
    for (std::size_t frame = 0; frame < result.times().size(); ++frame) {
      std::vector<double> q;
      std::vector<double> w;
      for (const Variable& each : system.info.coordinates) q.push_back(result.values(each.name, frame)[0]);
      for (const Variable& each : system.info.rates) w.push_back(result.values(each.name, frame)[0]);
      std::size_t at = 0;
      for (const Drawing::Line& line : drawing.lines) {
        for (std::size_t i = 1; i < line.points.size(); ++i, ++at) {
          const double now = length(drawing, p, result.times()[frame], q, w, line.points[i - 1], line.points[i]);
          if (drawing.points[line.points[i - 1]].name == "C") continue;  // the squeezer's spring
          if (frame == 0) lengths.resize(std::max(lengths.size(), at + 1));
          if (frame == 0) lengths[at] = now;
          EXPECT_NEAR(now, lengths[at], 1e-9 + 1e-6 * lengths[at]) << system.info.name << ", segment " << at;
        }
      }
    }
  }
}

TEST(Poses, AreOfOneMemberAsLongAsItCounts) {
  const TemporaryFolder folder;
  FakeRun().write(folder / "run.nc");  // member 1 fails at 0.25 s
  const Archive archive(folder / "run.nc");
  const auto reader = open_reader(folder / "run.nc");
  const Drawing drawing = read_drawing("cart = (a, b*m); (0, 0) -- cart", archive.labels());
  const Poses poses = read_poses(archive, *reader, drawing, 3, 100);
  EXPECT_EQ(poses.places.times, (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(poses.places.at(0, 1, 0), fake_value(Field::q, 0, 3, 0.5));
  EXPECT_EQ(poses.places.at(1, 1, 0), fake_value(Field::q, 1, 3, 0.5) * 3.5);
  EXPECT_EQ(poses.places.at(0, 1, 1), 0);
  EXPECT_EQ(read_poses(archive, *reader, drawing, 1, 100).places.times, std::vector<double>{0});
  EXPECT_THROW(read_poses(archive, *reader, drawing, 10, 100), Error);
}

}  // namespace
}  // namespace kalaba
