// Texts of reports: statistics, numbers, the progress line, the summary.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cmath>

#include "output_data/fake_run.hpp"
#include "report/data/statistics.hpp"
#include "report/text/progress.hpp"
#include "report/text/summary.hpp"
#include "report/text/text.hpp"
#include "support/has.hpp"
#include "text/nan.hpp"

namespace kalaba {
namespace {

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
  for (const double last : {2.0, 2 + 1e-15}) {
    EXPECT_EQ(histogram({2, 2, last}).shares, std::vector<double>{1});
    EXPECT_EQ(histogram({2, 2, last}).width, 0);
  }
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

/// Pseudo-terminal: output to `stream` is read back from the other end.
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
  /// All output, which a terminal returns in pieces: reads until there is none left.
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

TEST(SummaryText, HasALineForEachStatusOfFailures) {
  Summary summary;
  summary.members = summary.finished_members = 20;
  summary.by_status[static_cast<std::size_t>(Status::ok)] = 12;
  const auto fail = [&](Status status, long members, FirstFailure first) {
    summary.by_status[static_cast<std::size_t>(status)] = members;
    summary.first_failures[static_cast<std::size_t>(status)] = std::move(first);
  };
  fail(Status::non_finite, 1, {3, ""});
  fail(Status::not_converged, 5, {7, "why not"});
  fail(Status::singular_constraints, 2, {4, "the rank"});
  const std::string lines =
      "failure      5 not_converged, the first is member 7: why not\n"
      "  failure      2 singular_constraints, the first is member 4: the rank\n"
      "  failure      1 non_finite, member 3\n";
  EXPECT_TRUE(has(summary_text(fake_system(), {}, summary, ""), lines)) << summary_text(fake_system(), {}, summary, "");
  EXPECT_EQ(failure_text(summary),
            "8 of 20 members failed: 12 ok, 1 non_finite, 5 not_converged, 2 singular_constraints\n"
            "  5 not_converged, the first is member 7: why not\n"
            "  2 singular_constraints, the first is member 4: the rank\n"
            "  1 non_finite, member 3\n");
  EXPECT_EQ(summary.first_failed(), 3);
  EXPECT_EQ(summary.first_failure(), "");
  fail(Status::non_finite, 1, {3, "infinite"});
  EXPECT_EQ(summary.first_failure(), "member 3: infinite");
}

TEST(SummaryText, NamesTheImplicitMethodForStiffMembersIfTheRunSupportsIt) {
  const auto text = [](const SystemInfo& system, const Options& options) {
    Summary summary;
    summary.members = summary.finished_members = 10;
    summary.stiff = 2;
    return summary_text(system, options, summary, "");
  };
  Options options;
  EXPECT_TRUE(has(text(fake_system(), options), "2 members are stiff: steps are limited by stability; integrator = "));
  Options with_clock;
  with_clock.clocks = {{.name = "c", .set = {{"u", "0"}}}};
  SystemInfo with_contact = fake_system();
  with_contact.contacts.resize(1);
  SystemInfo differentiated = fake_system();
  differentiated.sensitivities.resize(1);
  for (const std::string& each :
       {text(fake_system(), with_clock), text(with_contact, options), text(differentiated, options)}) {
    EXPECT_TRUE(has(each, "2 members are stiff: steps are limited by stability\n")) << each;
  }
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
