#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "kalaba/error.hpp"
#include "output_data/fake_run.hpp"
#include "report/data/agents.hpp"
#include "report/data/swarm_reader.hpp"
#include "report/figure/agent_panels.hpp"
#include "report/figure/agent_view.hpp"
#include "report/figure/plot.hpp"
#include "scenario/scenario.hpp"
#include "support/error_of.hpp"
#include "support/has.hpp"

namespace kalaba {
namespace {

class SwarmPlot : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("gnuplot --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "gnuplot is not installed";
  }
  /// Runs a swarm with these overrides into a file.
  std::string file_of(std::vector<std::string> overrides, const std::string& name = "swarm.nc",
                      const std::string& system = "swarm") const {
    overrides.push_back("output.file=" + (folder_ / name));
    const Scenario scenario = load_scenario(system, overrides);
    const auto sink = open_sink(scenario.output_file, {scenario.text, scenario.seed, "1", "2"});
    Sink* const sinks[] = {sink.get()};
    run(*scenario.system, *scenario.source, scenario.options, sinks, {}, {});
    return folder_ / name;
  }
  std::string svg_of(const std::string& data, PlotOptions options = {}) const {
    options.output = folder_ / "picture.svg";
    plot_file(data, options);
    std::ifstream stream(options.output);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::string refusal(const std::string& data, const PlotOptions& options) const {
    return test::message_of([&] { plot_file(data, options); });
  }
  TemporaryFolder folder_;
};

const std::vector<std::string> short_swarm = {"structure.agents=70", "time.end=0.04", "time.dt=0.002"};

TEST_F(SwarmPlot, OneSwarmShowsAgentsAndWhatTheyDoTogether) {
  const std::string svg = svg_of(file_of(short_swarm));
  for (const char* part : {"70 agents", "t = 0 s", "t = 0.04 s", "times magnified", "paths of the agents, 60 of 70",
                           "beta_norm (m/s)", "radius (m)", "nearest_mean (m)", "violation"}) {
    EXPECT_TRUE(has(svg, part)) << part;
  }
}

TEST_F(SwarmPlot, InSpaceThereAreThreeAxes) {
  std::vector<std::string> overrides = short_swarm;
  overrides.push_back("structure.dimension=3");
  const std::string data = file_of(overrides);
  const std::string svg = svg_of(data, {"", "path", {}, -1});
  EXPECT_TRUE(has(svg, "z (m)"));
  EXPECT_TRUE(has(svg_of(data, {"", "snapshots", {}, -1, {0.02}}), "t = 0.02 s"));
}

/// The x1, y1, x2, ... of swarm_matrix are agents too.
TEST_F(SwarmPlot, AgentsOfSmallMatricesAreASwarm) {
  const std::string data = file_of({"parameters.kappa=5"}, "matrix.nc", "swarm_matrix");
  EXPECT_TRUE(has(svg_of(data), "5 agents"));
  const auto swarm = open_swarm(data, 0);
  const Agents agents = read_agents(*swarm, {0, 100}, 10, -1);
  EXPECT_EQ(agents.at(0, 0, 3), 6);
  EXPECT_EQ(agents.at(1, 0, 1), 9);
  EXPECT_NEAR(agents.at(1, 1, 4), 3.94697055, 1e-7);  // computed independently, t = 5
}

TEST_F(SwarmPlot, OneOfManySwarmsIsChosenByItsMember) {
  const std::string data = file_of({"structure.agents=7", "ensemble.members=3", "initial.agents={disk=2}"});
  EXPECT_FALSE(has(svg_of(data), "paths "));
  EXPECT_TRUE(has(svg_of(data, {"", "auto", {}, 2}), "paths of the agents"));
  const Agents first = read_agents(*open_swarm(data, 0), {0}, 10, -1);
  const Agents last = read_agents(*open_swarm(data, 2), {0}, 10, -1);
  EXPECT_EQ(last.all, 7);
  EXPECT_NE(first.at(0, 0, 0), last.at(0, 0, 0));
  EXPECT_EQ(open_swarm(data, 3), nullptr);
}

/// A file has its agents as they last were.
TEST_F(SwarmPlot, SwarmsThatFailedAreNotDrawnFromThenOn) {
  std::vector<std::string> overrides = {"structure.agents=6", "initial.agents={disk=2}", "time.end=0.4", "time.dt=0.01",
                                        "parameters.strength=1e9"};
  const std::string one = file_of(overrides);
  const std::string svg = svg_of(one);
  EXPECT_TRUE(has(svg, "no agent at this time"));
  EXPECT_TRUE(has(svg, "failed at t = 0.05 s, left out from then on"));
  plot_file(one, {"", "animation", {}, -1});
  overrides.back() = "parameters.strength={values=[1,1e9,1]}";
  overrides.push_back("ensemble.members=3");
  const std::string several = file_of(overrides, "several.nc");
  EXPECT_TRUE(has(svg_of(several, {"", "auto", {}, 1}), "no agent at this time"));
  EXPECT_FALSE(has(svg_of(several, {"", "auto", {}, 2}), "no agent at this time"));
}

TEST_F(SwarmPlot, AnimationIsAGifOfOneFrameASavedTime) {
  const std::string data = file_of(short_swarm);
  PlotOptions options;
  options.kind = "animation";
  ASSERT_EQ(plot_file(data, options).path, folder_ / "swarm.animation.gif");
  std::ifstream stream(folder_ / "swarm.animation.gif", std::ios::binary);
  const std::string gif(std::istreambuf_iterator<char>(stream), {});
  EXPECT_TRUE(gif.starts_with("GIF89a"));
  const std::string frame("\x21\xf9\x04", 3);  // a graphic control extension
  long frames = 0;
  for (std::size_t at = 0; (at = gif.find(frame, at)) != std::string::npos; ++at) {
    ++frames;
    // 8 bytes on an image begins: its place and size, then flags, of which the highest says that it has its own
    // colours. The first frame's have none of the shades that agents take on as they come nearer: those would all be
    // black.
    EXPECT_TRUE(static_cast<unsigned char>(gif.at(at + 8 + 9)) & 0x80) << "frame " << frames;
  }
  EXPECT_EQ(frames, 5);
}

TEST_F(SwarmPlot, ManyAgentsAreThinnedAtRandomButForTheHighlighted) {
  const std::string data = file_of({"structure.agents=2000", "time.end=1e-4", "time.dt=1e-4", "time.save_every=1"});
  const Agents agents = read_agents(*open_swarm(data, 0), {0, 1}, 50, 1234);
  EXPECT_GE(agents.numbers.size(), 50U);
  EXPECT_LE(agents.numbers.size(), 51U);
  EXPECT_TRUE(std::ranges::is_sorted(agents.numbers));
  EXPECT_EQ(agents.numbers[static_cast<std::size_t>(agents.highlight)], 1234);
  EXPECT_TRUE(has(agents.share(), "of 2,000"));
  EXPECT_GT(agents.numbers.back(), 1500);  // not the first so many
  const long among = agents.numbers[7];
  const Agents again = read_agents(*open_swarm(data, 0), {0, 1}, 50, among);
  EXPECT_EQ(again.numbers.size(), 50U);
  EXPECT_EQ(again.numbers[static_cast<std::size_t>(again.highlight)], among);
}

/// Two agents at two times; in space the second is further back.
Agents two_agents(int axes) {
  Agents agents;
  agents.times = {0, 1};
  agents.numbers = {0, 1};
  agents.all = 2;
  const std::vector<double> places[] = {{1.25, 2.25, 3.25, 4.25}, {10.5, 11.5, 12.5, 13.5}, {5, 5, 6, 6}};
  const char* names[] = {"x", "y", "z"};
  for (int axis = 0; axis < axes; ++axis) {
    agents.axes.push_back({names[axis], "m", Field::q, axis});
    agents.places.push_back(places[axis]);
  }
  return agents;
}

long count_of(const std::string& text, const std::string& part) {
  long count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

constexpr PanelFrame panel = {0.1, 0.9, 0.1, 0.9};

TEST(AgentPanels, DrawAgentsWhereTheyAreAtTheTime) {
  const Agents agents = two_agents(2);
  const std::string snapshot = snapshot_panel(agents, 1, panel);
  EXPECT_EQ(count_of(snapshot, "\n3.25 12.5 "), 1);
  EXPECT_EQ(count_of(snapshot, "\n1.25 10.5 "), 0);
  const std::string paths = agent_paths_panel(agents, panel);
  for (const char* row : {"\n1.25 10.5 ", "\n2.25 11.5 ", "\n3.25 12.5 ", "\n4.25 13.5 "}) {
    EXPECT_EQ(count_of(paths, row), 2) << row;  // on a path, and at its start or its end
  }
}

TEST(AgentPanels, InSpaceNearAgentsAreDrawnOverFarOnes) {
  const Agents agents = two_agents(3);
  const AgentView view(agents.axes, box_of(agents), panel);
  const AgentView::Spot near = view.spot(agents, 0, 0);
  const AgentView::Spot far = view.spot(agents, 0, 1);
  EXPECT_GT(far.depth, near.depth);
  EXPECT_GT(far.up, near.up);  // seen from above
  const std::string text = animation_panel(agents, 0, box_of(agents), panel);
  const std::string head = "$agents << END\n";
  ASSERT_TRUE(has(text, head));
  EXPECT_NEAR(std::stod(text.substr(text.find(head) + head.size())), far.across, 1e-4);
}

TEST_F(SwarmPlot, RefusalsSayWhy) {
  const std::string data = file_of(short_swarm);
  EXPECT_TRUE(has(refusal(data, {"", "snapshots", {}, -1, {0.5}}), "no snapshot at t = 0.5 s, expected 0 to 0.04"));
  EXPECT_TRUE(has(refusal(data, {"", "fan", {}, -1, {0.01}}), "--times chooses snapshots"));
  EXPECT_TRUE(has(refusal(data, {folder_ / "a.png", "animation", {}, -1}), "an animation ends in .gif"));
  EXPECT_TRUE(has(refusal(data, {folder_ / "a.gif", "path", {}, -1}), "only --kind animation ends in .gif"));
  EXPECT_TRUE(has(refusal(data, {"", "auto", {}, 70}), "there is no agent 70, expected 0 to 69"));
  FakeRun cart;
  cart.write(folder_ / "cart.nc");
  EXPECT_TRUE(has(refusal(folder_ / "cart.nc", {"", "animation", {}, -1}), "no coordinates of a swarm's agents"));
  EXPECT_EQ(folder_.names().size(), 2U) << "a refused picture left a file";
}

}  // namespace
}  // namespace kalaba
