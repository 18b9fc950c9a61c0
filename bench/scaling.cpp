#include "scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "bench/measure.hpp"
#include "cli/bench_table.hpp"
#include "cli/table.hpp"
#include "kalaba/backend/parallel.hpp"
#include "output/durable/pending_file.hpp"
#include "report/figure/gnuplot.hpp"
#include "scenario/scenario.hpp"

namespace kalaba::bench {
namespace {

using Words = std::vector<std::string>;

constexpr double least_seconds = 0.3;  // of a repetition
constexpr long steps = 200;            // of every run, so that each has the same share of sampling and starting

/// A system with what varies over its members.
struct Varied {
  std::string system;
  Words overrides;
};

Scenario scenario_of(const Varied& varied, const std::string& inverse, long members, int threads) {
  Words overrides = varied.overrides;
  for (const std::string& word : {fmt::format("ensemble.members={}", members), std::string("time.dt=1e-3"),
                                  fmt::format("time.end={}", 1e-3 * static_cast<double>(steps)),
                                  fmt::format("time.save_every={}", steps), std::string("solver.backend=cpu"),
                                  fmt::format("solver.threads={}", threads), "solver.pseudo_inverse=" + inverse}) {
    overrides.push_back(word);
  }
  return load_scenario(varied.system, overrides);
}

/// Steps by the wall clock of whole runs, one after the other.
double steps_per_second(const Scenario& scenario) {
  double done = 0;
  double seconds = 0;
  const auto begin = std::chrono::steady_clock::now();
  while (seconds < least_seconds) {
    const Summary summary = run(*scenario.system, *scenario.source, scenario.options, {});
    if (summary.failed() > 0) throw Error(ExitCode::members_failed, "members failed, no figures");
    done += summary.member_steps;
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  return done / seconds;
}

ScalingRow measured(const std::string& axis, const Varied& varied, const std::string& inverse, long members,
                    int threads) {
  const Scenario scenario = scenario_of(varied, inverse, members, threads);
  const System& system = *scenario.system;
  ScalingRow row;
  row.axis = axis;
  row.system = label(system.info);
  row.n = static_cast<int>(system.info.rates.size());
  row.m = static_cast<int>(system.info.constraints.size());
  row.pseudo_inverse = inverse;
  row.members = members;
  row.threads = threads;
  const int repeats = members > 1'000'000 ? 1 : 5;  // minutes otherwise
  std::vector<double> rates;
  for (int repeat = 0; repeat < repeats; ++repeat) rates.push_back(steps_per_second(scenario));
  row.steps_per_second = median(rates);
  return row;
}

/// A curve of the picture as a gnuplot datablock.
std::string data_block(const std::string& name, const std::vector<ScalingRow>& rows, const std::string& axis,
                       const std::string& inverse) {
  std::string text = "$" + name + " << EOD\n";
  for (const ScalingRow& row : rows) {
    if (row.axis != axis || (!inverse.empty() && row.pseudo_inverse != inverse)) continue;
    if (axis == "members") {
      text += fmt::format("{} {}\n", row.members, row.steps_per_second / 1e6);
    } else {
      text += fmt::format("{} {}\n", row.n, row.thread_seconds_per_step() * 1e9);
    }
  }
  return text + "EOD\n";
}

}  // namespace

std::vector<ScalingRow> scaling() {
  const Varied pendulum = {"spherical_pendulum", {"parameters.L={uniform=[0.5, 2]}"}};
  const int all = thread_count(0);
  std::vector<ScalingRow> rows;
  for (const long members : {1'000L, 10'000L, 100'000L, 1'000'000L, 10'000'000L}) {
    rows.push_back(measured("members", pendulum, "svd", members, all));
  }
  for (int threads = 1; threads < 2 * all; threads *= 2) {
    rows.push_back(measured("threads", pendulum, "svd", 100'000, std::min(threads, all)));
  }
  for (const std::string inverse : {"svd", "qr"}) {
    for (const int links : {2, 4, 8, 16, 32}) {
      rows.push_back(measured("size", {"chain", {fmt::format("structure.links={}", links)}}, inverse, 64, 1));
    }
  }
  return rows;
}

std::string scaling_text(const std::vector<ScalingRow>& rows) {
  std::vector<Words> table = {
      {"axis", "system", "n", "m", "inverse", "members", "threads", "steps/s", "thread-ns/step", "over m^2 n"}};
  for (const ScalingRow& row : rows) {
    const double nanoseconds = row.thread_seconds_per_step() * 1e9;
    table.push_back({row.axis, row.system, fmt::format("{}", row.n), fmt::format("{}", row.m), row.pseudo_inverse,
                     fmt::format("{}", row.members), fmt::format("{}", row.threads), with_prefix(row.steps_per_second),
                     fmt::format("{:.4g}", nanoseconds), fmt::format("{:.2g}", nanoseconds / (row.m * row.m * row.n))});
  }
  return table_text(table);
}

JsonObject json_row(const ScalingRow& row, const std::string& device, const Origin& origin) {
  JsonObject object;
  object.add("axis", row.axis);
  object.add("system", row.system);
  object.add("n", static_cast<long>(row.n));
  object.add("m", static_cast<long>(row.m));
  object.add("precision", "double");
  object.add("pseudo_inverse", row.pseudo_inverse);
  object.add("backend", "cpu");
  object.add("members", row.members);
  object.add("threads", static_cast<long>(row.threads));
  object.add("steps_per_second", row.steps_per_second);
  object.add("device", device);
  add_origin(object, origin);
  return object;
}

void plot_scaling(const std::vector<ScalingRow>& rows, const std::string& path) {
  const bool is_svg = path.ends_with(".svg");
  if (!is_svg && !path.ends_with(".png")) {
    throw Error(ExitCode::bad_input, path + ": a picture's name ends in .png or .svg");
  }
  PendingFile file(path);
  const std::string script =
      fmt::format("set terminal {} size 1200,480 font 'DejaVu Sans,{}'\n", is_svg ? "svg" : "pngcairo",
                  is_svg ? 12 : 11) +
      data_block("members", rows, "members", "") + data_block("svd", rows, "size", "svd") +
      data_block("qr", rows, "size", "qr") +
      "set multiplot layout 1,2\n"
      "set border 3 lc rgb '#808080'\nset tics nomirror\nset grid lc rgb '#e0e0e0' lt 1\nset logscale x\n"
      "set title 'Throughput over members (spherical\\_pendulum, all threads)'\n"
      "set xlabel 'members'\nset ylabel 'million member-steps/s'\nset format x '10^{%L}'\n"
      "set yrange [0:*]\nset xrange [500:2e7]\nunset key\n"
      "plot $members with linespoints lw 2 pt 7 ps 1.2 lc rgb '#1f77b4'\n"
      "set title 'Cost over n (chain, one thread)'\n"
      "set xlabel 'n'\nset ylabel 'ns a member-step'\nset format x '%g'\nset logscale xy\n"
      "set yrange [*:*]\nset xrange [3:90]\n"
      "set xtics (4, 8, 16, 32, 64)\nset key top left Left reverse spacing 1.4\n"
      "stats $svd using 1:2 nooutput\n"
      "cube(x) = STATS_min_y * (x / STATS_min_x)**3\n"
      "plot $svd with linespoints lw 2 pt 7 lc rgb '#1f77b4' title 'SVD', "
      "$qr with linespoints lw 2 pt 5 lc rgb '#d62728' title 'QR', "
      "cube(x) with lines dt 2 lc rgb '#808080' title 'm²n'\n"
      "unset multiplot\n";
  run_gnuplot(script, file.descriptor());
  file.publish();
}

}  // namespace kalaba::bench
