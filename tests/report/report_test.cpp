#include "report/page/report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "drawn_curves.hpp"
#include "kalaba/error.hpp"
#include "output_data/fake_run.hpp"
#include "report/text/html.hpp"

namespace kalaba {
namespace {

class Report : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("gnuplot --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "gnuplot is not installed";
  }
  std::string page_of(const FakeRun& run, const std::vector<std::string>& sampled = {}) const {
    run.write(folder_ / "run.nc");
    const std::string path = write_report(folder_ / "run.nc", {"", sampled});
    EXPECT_EQ(path, folder_ / "run.html");
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  TemporaryFolder folder_;
};

long count(const std::string& text, const std::string& part) { return occurrences(text, part); }

/// Every picture of the page draws data, but for `empty` of them, whose panels state this reason.
void expect_pictures(const std::string& page, long empty = 0, const std::string& reason = "") {
  long found = 0;
  for (std::size_t at = 0; (at = page.find("<figure>", at)) != std::string::npos; ++at) {
    const std::string figure = page.substr(at, page.find("</figure>", at) - at);
    if (drawn_curves(figure) > 0) continue;
    ++found;
    EXPECT_TRUE(!reason.empty() && figure.find(reason) != std::string::npos)
        << "nothing is drawn in " << figure.substr(figure.find("<figcaption>"));
  }
  EXPECT_EQ(found, empty);
}

/// Checks that a page contains no reference that a browser would fetch.
void expect_self_contained(const std::string& page) {
  for (const char* part : {"<script", "<link", "<img", " src=", "@import", "url(h", "href=\"h", "href='h"}) {
    EXPECT_EQ(count(page, part), 0) << part;
  }
  EXPECT_EQ(count(page, "http"), count(page, "http://www.w3.org/")) << "only names of XML";
}

TEST_F(Report, HasEverySectionAndPicture) {
  const std::string page = page_of({});
  for (const char* heading : {"Members", "Over time", "Sensitivity", "Values at the last saved time",
                              "Constraints and energy", "Scenario", "Origin"}) {
    EXPECT_EQ(count(page, std::string("<h2>") + heading + "</h2>"), 1) << heading;
  }
  // Three coordinates: over time and at the end, paths; errors and energy; six outputs; what else was saved.
  for (const char* name : {"a", "b", "angle"}) {
    EXPECT_EQ(count(page, std::string("<figcaption>") + name + " over time, 10 members</figcaption>"), 1) << name;
    EXPECT_EQ(count(page, std::string("<figcaption>") + name + " at the last saved time, 10 members"), 1) << name;
  }
  EXPECT_EQ(count(page, "<figcaption>What goes with"), 6);
  for (const char* name : {"speed", "spin", "force_speed", "energy"}) {
    EXPECT_EQ(count(page, std::string("<figcaption>") + name + " over time, 10 members</figcaption>"), 1) << name;
  }
  EXPECT_EQ(count(page, "<h2>Also saved</h2>"), 1);
  EXPECT_EQ(count(page, "<!--"), 0) << "a picture is missing";
  EXPECT_EQ(count(page, "<svg "), count(page, "<figure>"));
  EXPECT_EQ(count(page, "</svg>"), count(page, "<svg "));
  EXPECT_EQ(count(page, "id='picture1_gpDot'"), 1) << "ids must differ between pictures";
  EXPECT_EQ(count(page, "id='gp"), 0);
  EXPECT_EQ(count(page, "<title>"), 1) << "pictures have titles that a browser shows at the mouse";
  EXPECT_GE(count(page, "abcdef"), 1);
  EXPECT_GE(count(page, "18446744073709551615"), 1);
  expect_pictures(page);
  expect_self_contained(page);
}

/// Heat maps of the grid, pictures of the event, who counts: in the page of a run that has them.
TEST_F(Report, ShowsSweepsAndEvents) {
  FakeRun run;
  run.members = 12;
  run.parameter = [](std::size_t parameter, long member) {
    return static_cast<double>(parameter == 0 ? member / 4 : member % 4);
  };
  const std::string page = page_of(run);
  EXPECT_EQ(count(page, "<h2>Over what was varied</h2>"), 1);
  EXPECT_EQ(count(page, "<figcaption>a over m and parameter_time: 11 members, 1 without it, 3 × 4 cells"), 1);
  EXPECT_EQ(count(page, "<figcaption>status over m and parameter_time"), 1);
  expect_pictures(page);
  run.members = 120;
  run.parameter = [](std::size_t parameter, long member) {
    return parameter == 0 ? static_cast<double>(member > 5 ? member : 0)
                          : static_cast<double>(member <= 5 ? member : 0);
  };
  const std::string alone = page_of(run);
  EXPECT_EQ(count(alone, "<h2>Over what was varied</h2>"), 0) << "one at a time spans no plane";
  EXPECT_EQ(count(alone, "Inputs were varied one at a time"), 1);
  EXPECT_EQ(count(alone, " rises"), 0);
}

/// Design saltelli over two variables: those of b in the second member, and one of them in the third and fourth.
double of_saltelli(std::size_t variable, long member) {
  const bool of_b = member % 4 == 1 || member % 4 == 2 + static_cast<long>(variable);
  const double step = (of_b ? 0.6180339887 : 0.7548776662) * (variable == 0 ? 1 : 1.3247179572);
  const double place = step * static_cast<double>(member / 4);
  return place - std::floor(place);
}

TEST_F(Report, ShowsIndicesOfTheDesignSaltelli) {
  FakeRun run;
  run.members = 400;
  run.saltelli = {"parameters.m", "parameters.time"};
  run.parameter = of_saltelli;
  run.value = [](Field field, std::size_t component, long member, double) {
    return field == Field::q && component == 0 ? 3 * of_saltelli(0, member) : 0.0;
  };
  const std::string page = page_of(run);
  EXPECT_EQ(count(page, "<h2>Sobol&#39; indices</h2>"), 1);
  EXPECT_EQ(count(page, "<td>a (m)</td><td>first</td><td class=\"n\">99 of 100</td>"), 1) << "member 1 failed";
  EXPECT_EQ(count(page, "A point counts where all of its members do."), 1);
  EXPECT_EQ(count(page, ">0.000 ± 0.000</span>"), 2) << "of what says nothing";
  EXPECT_EQ(count(page, "<figcaption>Sobol&#39; indices of a, 99 points: first order within total</figcaption>"), 1);
  EXPECT_EQ(count(page, "<figcaption>What goes with a, 199 members</figcaption>"), 1) << "a and b of every point";
  expect_pictures(page, 2, "exactly zero");
  EXPECT_EQ(count(page_of({}), "<h2>Sobol"), 0);
  expect_self_contained(page);
}

TEST_F(Report, ShowsPhasesAndDensities) {
  FakeRun run;
  run.members = 1200;
  run.block_members = 400;
  run.fields = {Field::q, Field::w};
  run.system.rates[0].name = "a_dot";
  const std::string page = page_of(run);
  EXPECT_EQ(count(page, "<h2>Phase portraits</h2>"), 1);
  EXPECT_EQ(count(page, "<figcaption>a and a_dot of members"), 1);
  EXPECT_EQ(count(page, "<figcaption>Density of a and b at t = 1 s: 1,199 members"), 1);
  expect_pictures(page, 5, "no more than chance");
}

TEST_F(Report, HostileNamesStayText) {
  FakeRun run;
  run.system.name = "<script>alert('x')</script>";
  run.system.summary = "a & b <img src=http://evil>";
  run.system.coordinates[0].name = "a<b>\"&'`$(touch hacked)";
  run.system.coordinates[1].unit = "</td><script>";
  const std::string page = page_of(run);
  EXPECT_EQ(count(page, "<script"), 0);
  EXPECT_EQ(count(page, "<img"), 0);
  EXPECT_GE(count(page, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"), 1);
  EXPECT_GE(count(page, "a&lt;b&gt;&quot;&amp;&#39;`$(touch hacked)"), 1);
  EXPECT_EQ(folder_.names().size(), 2U);
  if (std::system("python3 -c 'import xml' 2> /dev/null") != 0) GTEST_SKIP() << "python3 is not installed";
  const std::string parse = "python3 -c 'import sys, xml.dom.minidom as d; d.parse(sys.argv[1])' ";
  EXPECT_EQ(std::system((parse + (folder_ / "run.html")).c_str()), 0) << "not well-formed";
}

TEST_F(Report, DrawsStatisticsWhereThereAreNoMembers) {
  FakeRun run;
  run.trajectories = false;
  run.statistics.kinds = {Statistic::mean, Statistic::std, Statistic::min, Statistic::max, Statistic::quantiles};
  const std::string page = page_of(run);
  EXPECT_EQ(count(page, "<figure>"), 5 + 3);  // coordinates and rates; violation, residual, energy
  expect_pictures(page);
  EXPECT_EQ(count(page, "<h2>Sensitivity</h2>"), 0);
  EXPECT_GE(count(page, "<th class=\"n\">95 %</th>"), 1);
}

TEST_F(Report, ListsStatisticsAtTheLastSavedTime) {
  FakeRun run;
  run.members = 5;
  run.times = {0, 1};
  run.trajectories = false;
  run.fields = {Field::q};
  run.statistics = {{Statistic::mean, Statistic::std, Statistic::min, Statistic::max, Statistic::quantiles},
                    {0.25, 0.5}};
  run.value = [](Field, std::size_t component, long member, double time) {
    return static_cast<double>(member) + 10 * time + 100 * static_cast<double>(component);
  };
  const std::string page = page_of(run);
  const auto row = [](const std::vector<const char*>& cells) {
    std::string text;
    for (const char* cell : cells) text += std::string("<td class=\"n\">") + cell + "</td>";
    return text;
  };
  EXPECT_EQ(count(page, "<th class=\"n\">25 %</th><th class=\"n\">50 %</th><th class=\"n\">max</th>"), 1);
  EXPECT_EQ(count(page, "<td>a (m)</td>" + row({"5", "12", "1.4142", "10", "11", "12", "14"})), 1);
  EXPECT_EQ(count(page, "<td>b (m)</td>" + row({"5", "112", "1.4142", "110", "111", "112", "114"})), 1);
}

/// A fake run of swarms of 7 agents each.
FakeRun swarms(long members) {
  FakeRun run;
  run.members = members;
  run.system.agents = 7;
  run.system.has_energy = false;
  run.system.invariants = {{"radius", "m", 0, ""}};
  run.fields = {Field::q, Field::residual, Field::invariants};
  return run;
}

TEST_F(Report, ListsStatisticsOfTheFirstAgentsOfSwarms) {
  FakeRun run = swarms(9);
  run.parameter = [](std::size_t parameter, long member) { return static_cast<double>(parameter == 0 ? member : 2); };
  // Number that identifies its place (100 per component, 10 per agent), plus a term that depends on the parameter.
  run.value = [](Field field, std::size_t place, long member, double) {
    if (field != Field::q) return static_cast<double>(member);
    return static_cast<double>(1000 + 100 * (place / 7) + 10 * (place % 7)) + (place == 8 ? -1e-3 : 1e-3) * member;
  };
  run.statistics.kinds = {Statistic::min, Statistic::correlation};
  run.statistics.inputs = {"parameters.m"};
  for (const bool trajectories : {true, false}) {
    run.trajectories = trajectories;
    const std::string page = page_of(run);
    EXPECT_EQ(count(page,
                    "<tr><td>a[2] (m)</td><td class=\"n\">9</td><td class=\"n\">–</td><td class=\"n\">–</td>"
                    "<td class=\"n\">1020</td>"),
              1);
    EXPECT_EQ(count(page, "<td class=\"n\">1120</td>"), 1) << "b[2]";
    EXPECT_EQ(count(page,
                    "<tr><td>b[0] (m)</td><td class=\"n\"><span class=\"r\" style=\"background: "
                    "rgb(var(--positive) / 0.55)\" title=\"1.000000\">1.00</span>"),
              1);
    EXPECT_EQ(count(page, "title=\"-1.000000\""), 1) << "b[1] alone goes against the parameter";
    EXPECT_EQ(count(page, "a[3]"), 0);
    EXPECT_EQ(count(page, "Values of 3 of 7 agents"), 1);
    EXPECT_EQ(count(page, "<figcaption>radius over time"), 1);
  }
}

TEST_F(Report, OfOneSwarmTellsOfItsAgents) {
  FakeRun run = swarms(1);
  run.block_members = 2;  // room for a second, which is none
  const std::string page = page_of(run);
  EXPECT_EQ(count(page, "<b>7</b><span>agents</span>"), 1);
  EXPECT_EQ(count(page, "<tr><td>ok</td><td class=\"n\">1</td><td class=\"n\">100 %</td></tr>"), 1);
  EXPECT_EQ(count(page, "<h2>Sensitivity</h2>"), 0);
  EXPECT_EQ(count(page, "<th class=\"n\">agents</th>"), 1);
  EXPECT_EQ(count(page, "<tr><td>a (m)</td><td class=\"n\">7</td>"), 1);
}

TEST_F(Report, OneMemberAndOneTimeAreEnough) {
  FakeRun run;
  run.members = 2;
  run.times = {1};
  const std::string page = page_of(run);
  EXPECT_GE(count(page, "<figure>"), 1);
  expect_pictures(page);
  run.fields = {Field::rank};
  EXPECT_GE(count(page_of(run), "<h2>Origin</h2>"), 1);
}

TEST(Html, EscapesWhatIsMarkup) {
  EXPECT_EQ(html_text("<a href='x'>\x01&\""), "&lt;a href=&#39;x&#39;&gt; &amp;&quot;");
}

TEST(ReportFile, RefusesOtherEndings) {
  const TemporaryFolder folder;
  FakeRun{}.write(folder / "run.nc");
  EXPECT_THROW(write_report(folder / "run.nc", {folder / "run.pdf", {}}), Error);
  EXPECT_THROW(write_report(folder / "run.csv", {}), Error);
  EXPECT_EQ(folder.names().size(), 1U);
}

}  // namespace
}  // namespace kalaba
