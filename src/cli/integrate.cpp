#include "cli/integrate.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <new>
#include <optional>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>
#include "backend/cache/kept_file.hpp"
#include "cli/machine.hpp"
#include "cli/signals.hpp"
#include "engine/run/block_size.hpp"
#include "output/durable/disk_space.hpp"
#include "output/outputs.hpp"
#include "output/run_files.hpp"
#include "report/text/progress.hpp"
#include "report/text/text.hpp"

namespace kalaba {
namespace {

/// Returns true if this note differs from the last one printed on this machine, which is kept in the user's cache. If
/// the cache cannot be written, it returns true every time.
bool differs_from_last_note(const std::string& note) {
  constexpr const char* key = "note";
  const std::string folder = cache_folder();
  if (folder.empty()) return true;
  const std::string place = std::filesystem::path(folder) / "last_note";
  const std::optional<std::vector<char>> last = read_kept_file(place, key);
  if (last && std::string_view(last->data(), last->size()) == note) return false;
  write_kept_file(place, key, {note.begin(), note.end()});  // if this fails, the note is printed again
  return true;
}

}  // namespace

RunOutcome integrate(RunTask& task, bool quiet) {
  const Scenario& scenario = task.scenario;
  StopSignals signals(
      [&] {
        if (!scenario.output_file.empty()) remove_without_progress(scenario.output_file, scenario.options);
      },
      quiet);
  std::optional<RunFiles> files;
  std::vector<Sink*> sinks;
  if (!scenario.output_file.empty()) {
    check_room(scenario.output_file, scenario.system->info, scenario.options,
               task.part.members < 0 ? scenario.members - task.part.first : task.part.members);
    sinks.push_back(&files.emplace(std::move(task.lock), scenario.output_file, task.provenance, scenario.options,
                                   std::move(task.checkpoint)));
    if (task.no_clobber) files->leave_existing();
  }
  std::optional<ProgressBar> bar;
  if (!quiet) bar.emplace(stderr);
  const auto begun = [&](const RunInfo& info) {
    if (!quiet && !info.note.empty() && differs_from_last_note(info.note))
      std::fputs((info.note + "\n").c_str(), stderr);
  };
  const auto show = [&](const Progress& progress) {
    if (bar) bar->update(progress);
  };
  RunOutcome outcome;
  try {
    outcome.summary =
        run(*scenario.system, *scenario.source, scenario.options, sinks, show, signals.token(), task.part, begun);
    if (files) {
      outcome.files = files->published_paths();
      outcome.can_resume = files->has_progress();
    }
  } catch (const std::bad_alloc&) {
    const long members = block_capacity(scenario.system->info, scenario.options, scenario.members);
    const double bytes = static_cast<double>(members) * member_bytes(scenario.system->info, scenario.options);
    throw Error(ExitCode::internal_error,
                fmt::format("not enough memory{}: up to {} members at once take about {}; lower solver.memory or "
                            "solver.block_members",
                            memory_limit_text(), grouped(members), bytes_text(bytes)));
  } catch (const Error& error) {
    if (!files || !files->has_begun() || !files->has_progress()) throw;
    if (!files->is_intact()) {
      throw Error(error.code(), fmt::format("{}\nkalaba: the unfinished files were removed or changed, so that the run "
                                            "cannot be resumed",
                                            error.what()));
    }
    throw Error(error.code(), fmt::format("{}\nkalaba: {} of {} members are safe; kalaba run --resume {} continues",
                                          error.what(), grouped(files->before().finished_members),
                                          grouped(files->before().members), scenario.output_file));
  }
  compress_outputs(outcome.files, scenario.options, outcome.summary);
  return outcome;
}

}  // namespace kalaba
