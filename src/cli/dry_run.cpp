#include "cli/dry_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "backend/backends.hpp"
#include "bench/phased_run.hpp"
#include "cli/run_report.hpp"
#include "engine/run/block_size.hpp"
#include "kalaba/backend/parallel.hpp"
#include "kalaba/member_block.hpp"
#include "kalaba/statistics.hpp"
#include "output/durable/disk_space.hpp"
#include "output/outputs.hpp"
#include "report/text/text.hpp"
#include "scenario/document/toml_text.hpp"
#include "text/json.hpp"

namespace kalaba {
namespace {

/// Expected cost of a run.
struct Expected {
  long members = 0;
  long steps = 0;  // of each member
  std::size_t times = 0;
  double file_bytes = 0;
  long block_members = 0;
  double block_bytes = 0;
  double statistics_bytes = 0;
  double seconds = 0;
  std::string device;
  Backend backend = Backend::cpu;
};

/// Estimates the seconds of the run from some of its members. The first pass is a warm-up; later passes get longer
/// until the time is long enough to measure.
double measured_seconds(const RunTask& task, const Options& options, const Expected& expected) {
  constexpr double long_enough = 0.3;
  constexpr long lanes = 64;
  const long enough = options.backend == Backend::cuda ? 1L << 16 : lanes * thread_count(options.threads);
  const long members = std::min(expected.members, std::max(enough / task.scenario.system->info.copies(), 1L));
  const bench::Subject subject = {task.scenario.system.get(), task.scenario.source.get(), options, members,
                                  long_enough};
  bench::PhasedRun run(subject);
  bench::Timing timing;
  long steps = 1;
  for (;; steps = std::min(2 * steps, expected.steps)) {
    timing = run.run(members, steps);
    if (timing.total() < long_enough && steps < expected.steps) continue;
    if (timing.total() < long_enough) timing = run.run(members, steps);  // warm
    break;
  }
  const double grid = static_cast<double>(expected.steps) / static_cast<double>(steps);
  const double observed = static_cast<double>(expected.times) / static_cast<double>(timing.observations);
  const double some = timing.sampling + timing.start + timing.advance * grid + timing.observe * observed;
  return some * static_cast<double>(expected.members) / static_cast<double>(members);
}

Expected expect(const RunTask& task) {
  const Scenario& scenario = task.scenario;
  Options options = scenario.options;
  const ChosenBackend chosen = choose_backend(*scenario.system, options);
  options.backend = chosen.backend;
  options.method.pseudo_inverse = chosen.pseudo_inverse;
  Expected expected;
  expected.members = task.part.members < 0 ? scenario.members : task.part.members;
  expected.steps = options.time.steps();
  expected.backend = chosen.backend;
  expected.device = chosen.device;
  RunInfo run{&scenario.system->info, options,      expected.members, task.part.first, 0,
              saved_times(options),   chosen.device};
  expected.times = run.times.size();
  if (!scenario.output_file.empty()) {
    expected.file_bytes = expected_bytes(scenario.output_file, run, task.provenance);
  }
  expected.block_members = block_capacity(scenario.system->info, options, expected.members);
  expected.block_bytes = static_cast<double>(expected.block_members) * member_bytes(scenario.system->info, options);
  if (options.statistics.any()) {
    expected.statistics_bytes = plan_statistics(scenario.system->info, options, expected.members, expected.times).bytes;
  }
  expected.seconds = measured_seconds(task, options, expected);
  return expected;
}

std::string grid_text(const std::vector<GridAxis>& grid) {
  std::vector<std::string> axes;
  for (const GridAxis& axis : grid) axes.push_back(fmt::format("{} {}", axis.points, axis.name));
  return axes.empty() ? "" : fmt::format(", a grid of {}", fmt::join(axes, " by "));
}

/// The start of a coordinate or rate of the first member.
struct ShownStart {
  std::string name;
  double value;
  bool is_given;  // else the model computes it from given starts
};

/// Returns the given starts of the first member, and those that follow from them.
std::vector<ShownStart> shown_starts(const RunTask& task) {
  const System& system = *task.scenario.system;
  const MemberSource& source = *task.scenario.source;
  const std::vector<GivenStart> given = source.given_starts();
  if (given.empty() || system.info.agents > 0) return {};
  const auto coordinates = static_cast<int>(system.info.coordinates.size());
  const auto rates = static_cast<int>(system.info.rates.size());
  enum class Origin { model, given, follows };
  std::vector<Origin> origins(static_cast<std::size_t>(coordinates + rates), Origin::model);
  for (const GivenStart& each : given) {
    origins[static_cast<std::size_t>(each.index + (each.is_rate ? coordinates : 0))] = Origin::given;
  }
  for (bool changes = true; changes;) {
    changes = false;
    for (std::size_t i = 0; i < system.start_needs.size(); ++i) {
      const bool follows = std::ranges::any_of(system.start_needs[i], [&](int needed) {
        return origins[static_cast<std::size_t>(needed)] != Origin::model;
      });
      if (!follows || origins[i] != Origin::model) continue;
      origins[i] = Origin::follows;
      changes = true;
    }
  }
  Block block = member_block(system.info, Options(), 1);
  block.assign(task.part.first, 1);
  fill_members(system, source, block);
  std::vector<ShownStart> shown;
  for (std::size_t i = 0; i < origins.size(); ++i) {
    if (origins[i] == Origin::model) continue;
    const bool is_rate = i >= static_cast<std::size_t>(coordinates);
    const std::size_t at = is_rate ? i - static_cast<std::size_t>(coordinates) : i;
    const auto index = static_cast<int>(at);
    shown.push_back({(is_rate ? system.info.rates : system.info.coordinates)[at].name,
                     (is_rate ? block.rate(index) : block.coordinate(index)).front(), origins[i] == Origin::given});
  }
  return shown;
}

std::string given_starts_text(const std::vector<ShownStart>& starts, long member) {
  constexpr std::size_t most = 8;
  std::vector<std::string> given;
  std::vector<std::string> following;
  for (const ShownStart& each : starts) {
    std::vector<std::string>& texts = each.is_given ? given : following;
    if (texts.size() < most) texts.push_back(fmt::format("{} = {:.6g}", each.name, each.value));
    if (texts.size() == most) texts.back() = "...";
  }
  const std::string text = fmt::format("{} given", fmt::join(given, ", "));
  return fmt::format("{}{} (member {})", text,
                     following.empty() ? "" : fmt::format("; {} follow", fmt::join(following, ", ")), member);
}

void print_text(const RunTask& task, const Expected& expected) {
  const Scenario& scenario = task.scenario;
  const TimeGrid& time = scenario.options.time;
  std::fputs(
      fmt::format("{}: from t = {} to {} s, not run\n", scenario.system->info.name, time.start, time.end).c_str(),
      stdout);
  print_line("members", grouped(expected.members) + grid_text(task.provenance.grid));
  if (const std::vector<ShownStart> starts = shown_starts(task); !starts.empty()) {
    print_line("starts", given_starts_text(starts, task.part.first));
  }
  const double steps = static_cast<double>(expected.members) * static_cast<double>(expected.steps);
  const bool is_adaptive = adapts(scenario.options.method.integrator);
  print_line("steps", is_adaptive ? "as the tolerances require"
                                  : fmt::format("{} each, {} member-steps", grouped(expected.steps), scaled(steps)));
  print_line("saved",
             fmt::format("{} time{}", grouped(static_cast<long>(expected.times)), expected.times == 1 ? "" : "s"));
  print_line("file", scenario.output_file.empty()
                         ? "none was requested"
                         : fmt::format("{}, about {}", scenario.output_file, bytes_text(expected.file_bytes)));
  for (const std::string& each : task.replaced) print_line("", each + " is there and would be replaced");
  std::string memory = fmt::format("about {} for up to {} member{} at once", bytes_text(expected.block_bytes),
                                   grouped(expected.block_members), expected.block_members == 1 ? "" : "s");
  if (expected.statistics_bytes > 0)
    memory += fmt::format(", {} for statistics", bytes_text(expected.statistics_bytes));
  print_line("memory", memory);
  print_line("time", fmt::format("about {} on {}", duration(expected.seconds), expected.device));
}

void print_object(const RunTask& task, const Expected& expected) {
  std::vector<std::string> grid;
  for (const GridAxis& axis : task.provenance.grid) {
    JsonObject object;
    object.add("name", axis.name);
    object.add("points", axis.points);
    grid.push_back(object.text());
  }
  JsonObject object;
  object.add("system", task.scenario.system->info.name);
  object.add("dry_run", true);
  object.add("members", expected.members);
  object.add("first_member", task.part.first);
  object.add_raw("grid", json_array(grid));
  std::vector<std::string> starts;
  for (const ShownStart& each : shown_starts(task)) {
    JsonObject start;
    start.add("name", each.name);
    start.add("value", each.value);
    start.add("given", each.is_given);
    starts.push_back(start.text());
  }
  object.add_raw("starts", json_array(starts));
  object.add("steps", expected.steps);
  object.add("member_steps", static_cast<double>(expected.steps) * static_cast<double>(expected.members));
  object.add("saved_times", expected.times);
  object.add("file", task.scenario.output_file);
  object.add("file_bytes", expected.file_bytes);
  object.add_raw("replaced", json_texts(task.replaced));
  object.add("block_members", expected.block_members);
  object.add("block_bytes", expected.block_bytes);
  object.add("statistics_bytes", expected.statistics_bytes);
  object.add("seconds", expected.seconds);
  object.add("backend", backend_name(expected.backend));
  object.add("device", expected.device);
  print_json(object.text());
}

}  // namespace

void print_dry_run(const RunTask& task, bool as_json) {
  const Expected expected = expect(task);
  as_json ? print_object(task, expected) : print_text(task, expected);
}

}  // namespace kalaba
