#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>

#include "kalaba/error.hpp"
#include "output_data/fake_run.hpp"
#include "report/plot.hpp"
#include "report/plot_data.hpp"
#include "report/progress.hpp"
#include "report/statistics.hpp"
#include "report/summary.hpp"
#include "report/text.hpp"

namespace kalaba {
namespace {

using Names = std::vector<std::string>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string bytes_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool is_png(const std::string& bytes) {
  return bytes.starts_with("\x89PNG") && bytes.find("IEND") != std::string::npos;
}

bool is_svg(const std::string& bytes) {
  return bytes.find("<svg") != std::string::npos && bytes.find("</svg>") != std::string::npos;
}

class Plot : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("gnuplot --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "gnuplot is not installed";
  }
  std::string write(const FakeRun& run, const std::string& name = "run.nc") const {
    run.write(folder_ / name);
    return folder_ / name;
  }
  std::string svg_of(const std::string& data, PlotOptions options = {}) const {
    options.output = folder_ / "picture.svg";
    EXPECT_EQ(plot_file(data, options), Names{options.output});
    const std::string svg = bytes_of(options.output);
    EXPECT_TRUE(is_svg(svg));
    return svg;
  }
  std::string refusal(const std::string& data, const PlotOptions& options) const {
    try {
      plot_file(data, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      EXPECT_EQ(folder_.names().size(), 1U) << "a refused picture left a file";
      return error.what();
    }
    ADD_FAILURE() << "expected an Error";
    return "";
  }
  TemporaryFolder folder_;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(Plot, DrawsBothFormatsBesideTheData) {
  EXPECT_EQ(plot_file(write({}, "a.nc"), {}), Names{folder_ / "a.png"});
  EXPECT_EQ(plot_file(write({}, "b.csv"), {}), Names{folder_ / "b.png"});
  EXPECT_EQ(plot_file(folder_ / "b.csv", {"", "fan", {}, -1}), Names{folder_ / "b.fan.png"});
  for (const char* name : {"a.png", "b.png", "b.fan.png"}) EXPECT_TRUE(is_png(bytes_of(folder_ / name))) << name;
  EXPECT_EQ(folder_.names().size(), 5U);
}

TEST_F(Plot, AutoShowsEverything) {
  FakeRun run;
  run.members = 100;
  run.value = [](Field field, std::size_t component, long member, double time) {
    return field == Field::violation && time == 0 ? 0 : fake_value(field, component, member, time);
  };
  const std::string svg = svg_of(write(run), {"", "auto", {}, 42});
  for (const char* part : {"cart", "100 members", "cpu: no threads at all", "a (m)", "b (m)", "angle (rad)", "time (s)",
                           "violation", "residual", "angle at t = 1 s", "paths in the plane of a and b", "member 42",
                           "zero is drawn on the lower edge", "25–75 %"}) {
    EXPECT_TRUE(has(svg, part)) << part;
  }
}

TEST_F(Plot, EveryKindDrawsItsOwn) {
  const std::string data = write({});
  EXPECT_TRUE(has(svg_of(data, {"", "path", {}, -1}), "paths in the plane"));
  EXPECT_FALSE(has(svg_of(data, {"", "fan", {}, -1}), "paths in the plane"));
  EXPECT_TRUE(has(svg_of(data, {"", "histogram", {"force_spin", "energy"}, -1}), "energy (J)"));
  EXPECT_TRUE(has(svg_of(data, {"", "residual", {}, -1}), "largest error"));
}

TEST_F(Plot, SingleTimeOrMember) {
  FakeRun run;
  run.times = {2};
  const std::string last = svg_of(write(run));
  EXPECT_TRUE(has(last, "a at t = 2 s"));
  EXPECT_FALSE(has(last, "time (s)"));
  run.times = {0, 1, 2};
  run.members = 1;
  const std::string one = svg_of(write(run));
  EXPECT_TRUE(has(one, "1 member"));
  EXPECT_FALSE(has(one, "at t = 2 s"));
}

TEST_F(Plot, DrawsHardNumbers) {
  FakeRun run;
  run.members = 30;
  run.system.name = "it's `date` \"quoted\" @x {sub}_script";
  run.value = [](Field, std::size_t component, long member, double) {
    if (component == 0) return nan;
    if (component == 1) return 0.0;
    return member == 3 ? HUGE_VAL : member == 4 ? 1e308 : member == 5 ? -1e308 : 9.81;
  };
  const std::string svg = svg_of(write(run), {"", "auto", {"a", "b", "angle", "energy"}, 3});
  EXPECT_TRUE(has(svg, "`date`"));
  EXPECT_TRUE(has(svg, "no member got here"));
  run.value = [](Field, std::size_t, long, double) { return 0.0; };
  EXPECT_TRUE(has(svg_of(write(run)), "exactly zero throughout"));
}

TEST_F(Plot, SaysWhatItLeavesOut) {
  FakeRun run;
  run.times.clear();
  for (int i = 0; i <= 2000; ++i) run.times.push_back(i);
  while (run.system.coordinates.size() < 8) run.system.coordinates.push_back({"more", "m", 0, ""});
  for (std::size_t i = 3; i < 8; ++i) run.system.coordinates[i].name += std::to_string(i);
  const std::string svg = svg_of(write(run));
  EXPECT_TRUE(has(svg, "first 6 of 8 coordinates"));
  EXPECT_TRUE(has(svg, "of 2,001 saved times"));
}

TEST_F(Plot, RefusesWhatItCannotDraw) {
  const std::string data = write({});
  EXPECT_TRUE(has(refusal(data, {"", "auto", {"angel"}, -1}), "did you mean angle?"));
  EXPECT_TRUE(has(refusal(data, {"", "histogramm", {}, -1}), "did you mean histogram?"));
  EXPECT_TRUE(has(refusal(data, {"", "path", {"a"}, -1}), "a path needs two variables"));
  EXPECT_TRUE(has(refusal(data, {"", "auto", {}, 10}), "expected 0 to 9"));
  EXPECT_TRUE(has(refusal(data, {"", "auto", {}, -2}), "expected 0 to 9"));
  EXPECT_TRUE(has(refusal(data, {folder_ / "x.pdf", "auto", {}, -1}), ".png or .svg"));
  FakeRun bare;
  bare.fields = {Field::q};
  bare.times = {1};
  EXPECT_TRUE(has(refusal(write(bare), {"", "residual", {}, -1}), "neither residual nor violation"));
  EXPECT_TRUE(has(refusal(write(bare), {"", "fan", {}, -1}), "a single saved time"));
}

TEST_F(Plot, AbsentGnuplotIsNamedAndLeavesNothing) {
  const std::string data = write({});
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  std::string message;
  try {
    plot_file(data, {});
  } catch (const Error& error) {
    message = error.what();
  }
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_TRUE(has(message, "gnuplot-nox")) << message;
  EXPECT_EQ(folder_.names(), Names{"run.nc"});
}

TEST(PlotData, ThinsLongAndLargeRunsEvenly) {
  const TemporaryFolder folder;
  FakeRun run;
  run.members = 250'001;
  run.block_members = 100'000;
  run.fields = {Field::q};
  run.times = {0};
  run.write(folder / "run.nc");
  const PlotData data = read_plot_data(folder / "run.nc", {"", "auto", {"b"}, 123'457});
  EXPECT_LE(data.members.size(), 200'002U);
  EXPECT_TRUE(std::ranges::is_sorted(data.members));
  EXPECT_EQ(data.members.back(), 250'000);
  EXPECT_EQ(data.members[static_cast<std::size_t>(data.highlight)], 123'457);
  for (std::size_t i = 0; i < data.members.size(); i += 997) {
    EXPECT_EQ(data.row(1, 0)[i], fake_value(Field::q, 1, data.members[i], 0));
  }
  EXPECT_TRUE(has(data.notes.back(), "of them, evenly chosen"));
}

TEST(Statistics, Quantiles) {
  std::vector<double> values = {5, 1, 4, 2, 3};
  EXPECT_EQ(quantiles(values, std::array{0.0, 0.1, 0.5, 0.75, 1.0}), (std::vector<double>{1, 1.4, 3, 4, 5}));
  std::vector<double> one = {7};
  EXPECT_EQ(quantiles(one, std::array{0.05, 0.95}), (std::vector<double>{7, 7}));
  std::vector<double> none;
  EXPECT_TRUE(std::isnan(quantiles(none, std::array{0.5})[0]));
}

TEST(Statistics, QuantilesAgreeWithSorting) {
  std::vector<double> values;
  for (int i = 0; i < 1001; ++i) values.push_back(i * 7919 % 1001);
  for (double share : quantiles(values, std::array{0.05, 0.25, 0.5, 0.75, 0.95})) {
    EXPECT_EQ(share, std::round(share));
  }
  EXPECT_EQ(quantiles(values, std::array{0.05, 0.25, 0.5}), (std::vector<double>{50, 250, 500}));
}

TEST(Statistics, HistogramCountsEverything) {
  std::vector<double> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 100);
  values[3] = 1e9;
  const Histogram bins = histogram(values);
  double sum = 0;
  for (double share : bins.shares) sum += share;
  EXPECT_EQ(bins.outside, 1);
  EXPECT_NEAR(sum, 0.999, 1e-12);
  EXPECT_EQ(histogram({2, 2, 2}).shares, std::vector<double>{1.0 / 3 + 1.0 / 3 + 1.0 / 3});
}

TEST(Text, Numbers) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
  EXPECT_EQ(scaled(12'345'678), "12.3 M");
  EXPECT_EQ(scaled(999.6), "1 k");
  EXPECT_EQ(scaled(12), "12");
  EXPECT_EQ(duration(3.21), "3.2 s");
  EXPECT_EQ(duration(247), "4:07");
  EXPECT_EQ(duration(59.7), "1:00");
  EXPECT_EQ(duration(8130), "2:15:30");
  EXPECT_EQ(duration(nan), "?");
}

TEST(ProgressLine, SaysRateAndTimeLeft) {
  EXPECT_EQ(progress_line({0, 1000, 0}), "  0 % [                              ]");
  EXPECT_EQ(progress_line({5e8, 1e9, 10}), " 50 % [===============               ]  50 M member-steps/s, 10 s left");
  EXPECT_TRUE(progress_line({2e9, 1e9, 10}).starts_with("100 % [==============================]"));
  EXPECT_TRUE(progress_line({0, 0, 1}).starts_with("  0 %"));
}

/// A pseudo-terminal: what is written to `stream` is read back from the other end.
class Terminal {
 public:
  Terminal() : other_end_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    if (::grantpt(other_end_) != 0 || ::unlockpt(other_end_) != 0) throw std::runtime_error("no pseudo-terminal");
    stream_ = std::fopen(::ptsname(other_end_), "w");
  }
  ~Terminal() {
    std::fclose(stream_);
    ::close(other_end_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  std::FILE* stream() const { return stream_; }
  /// All that was written, which a terminal hands over in pieces: read until nothing comes any more.
  std::string shown() const {
    std::string text;
    for (pollfd end{other_end_, POLLIN, 0}; ::poll(&end, 1, 200) > 0;) {
      char piece[4096];
      const ssize_t size = ::read(other_end_, piece, sizeof piece);
      if (size <= 0) break;
      text.append(piece, static_cast<std::size_t>(size));
    }
    return text;
  }

 private:
  int other_end_;
  std::FILE* stream_ = nullptr;
};

TEST(ProgressBar, DrawsOnATerminalSeldomAndClearsItsLine) {
  const Terminal terminal;
  const std::string line = progress_line({5, 10, 1});
  {
    ProgressBar bar(terminal.stream());
    for (int i = 0; i < 1000; ++i) bar.update(Progress{5, 10, 1});
  }
  EXPECT_EQ(terminal.shown(), "\r" + line + "\r" + std::string(line.size(), ' ') + "\r");
}

TEST(ProgressBar, IsSilentElsewhere) {
  const TemporaryFolder folder;
  std::FILE* file = std::fopen((folder / "log").c_str(), "w");
  {
    ProgressBar bar(file);
    bar.update(Progress{5, 10, 1});
    bar.finish();
  }
  std::fclose(file);
  EXPECT_EQ(bytes_of(folder / "log"), "");
}

TEST(SummaryText, Golden) {
  Options options;
  options.time = {0, 5, 1e-3, 50};
  Summary summary;
  summary.members = 100'000;
  summary.finished_members = 100'000;
  summary.member_steps = 5e8;
  summary.seconds = 12.5;
  summary.compute_seconds = 12.1;
  summary.by_status = {99'990, 8, 2, 0, 0, 0};
  summary.rank_changes = 3;
  summary.worst_violation = 1.25e-15;
  summary.worst_residual = 3.4e-13;
  summary.device = "cpu: 2 threads";
  EXPECT_EQ(summary_text(fake_system(), options, summary, "run.nc"),
            "cart: 100,000 members from t = 0 to 5 s, dt = 0.001 s\n"
            "  members      99,990 ok, 8 non_finite, 2 not_converged\n"
            "  steps        500 M member-steps in 12 s (40 M/s), 12 s of it computing\n"
            "  constraints  worst violation 1.2e-15, worst residual 3.4e-13\n"
            "  rank         changed along the way in 3 members\n"
            "  device       cpu: 2 threads, double precision\n"
            "  file         run.nc\n");
}

TEST(SummaryText, ToldOfAnInterruptAndOfASystemWithoutConstraints) {
  SystemInfo system = fake_system();
  system.constraints.clear();
  Summary summary;
  summary.members = 10;
  summary.finished_members = 4;
  summary.interrupted = true;
  const std::string text = summary_text(system, {}, summary, "run.partial.nc");
  EXPECT_TRUE(has(text, "interrupted  4 of 10 members finished\n")) << text;
  EXPECT_TRUE(has(text, "partial file run.partial.nc\n")) << text;
  EXPECT_FALSE(has(text, "constraints")) << text;
}

}  // namespace
}  // namespace kalaba
