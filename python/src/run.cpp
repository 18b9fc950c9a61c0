// Runs: without the GIL, stopped by Ctrl-C, into memory or files.

#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>

#include "backend/interruption.hpp"
#include "bindings.hpp"
#include "cli/merge_task.hpp"
#include "cli/model_drawing.hpp"
#include "cli/run_report.hpp"
#include "cli/run_task.hpp"
#include "kalaba/statistics.hpp"
#include "output/durable/pending_file.hpp"
#include "output/netcdf/archive.hpp"
#include "output/netcdf/compressed_file.hpp"
#include "output/outputs.hpp"
#include "output/run_files.hpp"
#include "report/page/report.hpp"
#include "report/text/summary.hpp"
#include "scenario/sampling/design_facts.hpp"

namespace kalaba::python {
namespace {

using Clock = std::chrono::steady_clock;

/// Forwards to the files of a run, holding the netCDF library meanwhile.
class LockedSink final : public Sink, public ReducedSink, public BlockCheckpointSink {
 public:
  explicit LockedSink(RunFiles& files) : files_(files) {}

  void begin(const RunInfo& run) override {
    locked([&] { files_.begin(run); });
  }
  void begin_block(const Block& block) override {
    locked([&] { files_.begin_block(block); });
  }
  void begin_motion(const Block& block) override {
    locked([&] { files_.begin_motion(block); });
  }
  void write(const Frame& frame) override {
    locked([&] { files_.write(frame); });
  }
  const StatisticsPlan* reduced_plan() const override { return files_.reduced_plan(); }
  void write_reduced(ReducedFrame frame) override {
    locked([&] { files_.write_reduced(std::move(frame)); });
  }
  void end_block(const Block& block) override {
    locked([&] { files_.end_block(block); });
  }
  void block_finished(const Summary& so_far) override {
    locked([&] { files_.block_finished(so_far); });
  }
  const BlockCheckpoint* block_checkpoint() const override { return files_.block_checkpoint(); }
  bool keeps_block_checkpoints() const override { return files_.keeps_block_checkpoints(); }
  bool is_block_checkpoint_due() const override { return files_.is_block_checkpoint_due(); }
  void save_block_checkpoint(const Summary& so_far, BlockCheckpoint place) override {
    locked([&] { files_.save_block_checkpoint(so_far, std::move(place)); });
  }
  void finish(const Summary& summary) override {
    locked([&] { files_.finish(summary); });
  }

 private:
  template <class Work>
  static void locked(const Work& work) {
    const std::lock_guard lock(netcdf_mutex());
    work();
  }

  RunFiles& files_;
};

/// Result of a run for Python.
struct PythonOutcome {
  std::string summary_text;
  std::string summary_json;
  std::vector<std::string> files;
  std::shared_ptr<ArrayDataset> dataset;  ///< null where there are files
  std::string compiled;
  std::vector<std::string> warnings;  ///< of what was merged; those of a run stand in its JSON
  std::vector<std::string> notes;
  bool complete = true;
};

/// Checks at intervals for a request of Python to stop the run, also while a model is compiled, and reports progress,
/// always at the end.
class Watch {
 public:
  explicit Watch(nb::callable report) : report_(std::move(report)) {}

  void look(const Progress& progress) {
    const bool at_end = progress.member_steps_done >= progress.member_steps_total;
    if (stop_.stop_requested() || (!at_end && !is_due())) return;
    const nb::gil_scoped_acquire gil;
    if (!heed_signals()) return;
    try {
      report_(progress.member_steps_done, progress.member_steps_total, progress.seconds);
    } catch (nb::python_error& error) {
      error.restore();
      take_error();
    }
  }

  /// Returns true if Python requests the end of the run.
  bool requests_stop() {
    if (is_due()) {
      const nb::gil_scoped_acquire gil;
      heed_signals();
    }
    return stop_.stop_requested();
  }

  std::stop_token token() const { return stop_.get_token(); }
  void stop() { stop_.request_stop(); }
  /// Throws what Python threw meanwhile, except an interrupt: that ends the run, and what is done stays.
  void rethrow() {
    if (error_) throw std::move(*error_);
  }
  /// Throws what Python threw meanwhile, also an interrupt.
  void rethrow_all() {
    rethrow();
    if (!was_interrupted_) return;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }

 private:
  /// Returns true at intervals, until a stop is requested.
  bool is_due() {
    constexpr auto pause = std::chrono::milliseconds(50);
    if (stop_.stop_requested() || Clock::now() - last_ < pause) return false;
    last_ = Clock::now();
    return true;
  }
  /// Calls Python's signal handlers. Returns false if they throw.
  bool heed_signals() {
    if (PyErr_CheckSignals() == 0) return true;
    take_error();
    return false;
  }
  void take_error() {
    stop_.request_stop();
    was_interrupted_ = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0;
    if (was_interrupted_) return PyErr_Clear();
    error_.emplace();  // takes the present one
  }

  nb::callable report_;
  std::stop_source stop_;
  std::optional<nb::python_error> error_;
  bool was_interrupted_ = false;
  Clock::time_point last_ = Clock::now();
};

/// Active runs. At its exit the interpreter stops them and waits until they have returned, because it ends every thread
/// that requests its lock later.
class ActiveRuns {
 public:
  void enter(Watch& watch) {
    const std::lock_guard lock(mutex_);
    watches_.insert(&watch);
  }
  void leave(Watch& watch) {
    const std::lock_guard lock(mutex_);
    watches_.erase(&watch);
    left_.notify_all();
  }
  void end() {
    const nb::gil_scoped_release no_gil;
    std::unique_lock lock(mutex_);
    for (Watch* const each : watches_) each->stop();
    constexpr std::chrono::seconds patience(30);
    left_.wait_for(lock, patience, [&] { return watches_.empty(); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable left_;
  std::set<Watch*> watches_;
};

ActiveRuns& active_runs() {
  static ActiveRuns runs;
  return runs;
}

class ActiveRun {
 public:
  explicit ActiveRun(Watch& watch) : watch_(watch) { active_runs().enter(watch_); }
  ~ActiveRun() { active_runs().leave(watch_); }
  ActiveRun(const ActiveRun&) = delete;
  ActiveRun& operator=(const ActiveRun&) = delete;

 private:
  Watch& watch_;
};

/// Integrates with the GIL released. A file's lock is let go before it returns.
RunOutcome integrate(RunTask& task, const std::shared_ptr<ArrayDataset>& dataset, Watch& watch) {
  const Scenario& scenario = task.scenario;
  std::optional<RunFiles> files;
  std::unique_ptr<Sink> sink;
  if (dataset) {
    sink = make_array_sink(dataset, task.provenance);
  } else {
    check_room(scenario.output_file, scenario.system->info, scenario.options,
               task.part.members < 0 ? scenario.members - task.part.first : task.part.members);
    const std::lock_guard lock(netcdf_mutex());
    files.emplace(std::move(task.lock), scenario.output_file, task.provenance, scenario.options,
                  std::move(task.checkpoint));
    sink = std::make_unique<LockedSink>(*files);
  }
  const Interruptible interruptible([&] { return watch.requests_stop(); });
  const auto release = [&] {
    const std::lock_guard lock(netcdf_mutex());
    files.reset();
  };
  Sink* const sinks[] = {sink.get()};
  try {
    const Summary summary = run(
        *scenario.system, *scenario.source, scenario.options, sinks,
        [&](const Progress& progress) { watch.look(progress); }, watch.token(), task.part);
    RunOutcome outcome = {summary, {}, false};
    if (files) {
      outcome.files = files->published_paths();
      outcome.can_resume = files->has_progress();
      const std::lock_guard lock(netcdf_mutex());
      compress_outputs(outcome.files, scenario.options, summary);
    }
    release();
    return outcome;
  } catch (...) {
    release();
    throw;
  }
}

RunTask prepare(const RunWords& words) {
  const std::lock_guard lock(netcdf_mutex());
  return prepare_run(words);
}

/// A run whose output is there already, complete: what its file says.
PythonOutcome complete_before(const RunTask& task) {
  PythonOutcome outcome;
  outcome.files = {task.scenario.output_file};
  outcome.summary_text = task.scenario.output_file + ": is complete, there is nothing to resume\n";
  outcome.summary_json = summary_json(task, {task.part.before, outcome.files, false}, "");
  return outcome;
}

PythonOutcome run_scenario(const std::string& text, const std::string& name, const Columns& columns,
                           const std::string& shard, const std::string& resumed, bool restarts, bool in_memory,
                           nb::callable progress) {
  RunWords words;
  words.scenario = name;
  words.text = text;
  words.arrays = spans_of(columns);
  words.shard = shard;
  words.resumed = resumed;
  words.restarts = restarts;
  words.in_memory = in_memory;
  Watch watch(std::move(progress));
  const ActiveRun active(watch);
  PythonOutcome result;
  try {
    const nb::gil_scoped_release no_gil;
    RunTask task = prepare(words);
    if (task.is_complete) return complete_before(task);
    if (in_memory) result.dataset = std::make_shared<ArrayDataset>();
    const RunOutcome outcome = integrate(task, result.dataset, watch);
    result.files = outcome.files;
    result.compiled = outcome.summary.compiled;
    result.notes = task.scenario.notes;
    result.complete = !outcome.summary.interrupted;
    result.summary_text = summary_text(task.scenario.system->info, task.scenario.options, outcome.summary,
                                       outcome.files.empty() ? "" : outcome.files.front());
    result.summary_json = summary_json(task, outcome, "");
  } catch (const Error&) {
    watch.rethrow_all();
    throw;
  }
  watch.rethrow();
  return result;
}

/// Joins shards to the file `path`; `is_kept`: which the summary names, as it stays.
PythonOutcome merge(const std::vector<std::string>& files, const std::string& path, bool is_kept) {
  const nb::gil_scoped_release no_gil;
  const std::lock_guard lock(netcdf_mutex());
  const MergedRun merged = merge_run(files, path, false);
  const SystemInfo& system = merged.scenario.system->info;
  PythonOutcome outcome;
  outcome.summary_text = summary_text(system, merged.scenario.options, merged.summary, is_kept ? merged.path : "");
  outcome.warnings = warnings_of(system, merged.scenario.options, merged.summary);
  return outcome;
}

void compress(const std::string& path, int level) {
  const nb::gil_scoped_release no_gil;
  const std::lock_guard lock(netcdf_mutex());
  compress_netcdf(path, level);
}

std::string report(const std::string& data, const std::string& page) {
  const nb::gil_scoped_release no_gil;
  const std::lock_guard lock(netcdf_mutex());
  ReportOptions options;
  options.output = page;
  options.sampled = design_facts(Archive(data).inventory().attribute("scenario")).varied_starts;
  options.drawing_of_model = drawing_of_model;
  return write_report(data, options);
}

}  // namespace

void bind_run(nb::module_& module) {
  nb::class_<PythonOutcome>(module, "Outcome")
      .def_ro("summary_text", &PythonOutcome::summary_text)
      .def_ro("summary_json", &PythonOutcome::summary_json)
      .def_ro("files", &PythonOutcome::files)
      .def_ro("dataset", &PythonOutcome::dataset)
      .def_ro("compiled", &PythonOutcome::compiled)
      .def_ro("warnings", &PythonOutcome::warnings)
      .def_ro("notes", &PythonOutcome::notes)
      .def_ro("complete", &PythonOutcome::complete);
  module.def("run", run_scenario);
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] { active_runs().end(); }));
  module.def("merge", merge);
  module.def("compress", compress);
  module.def("report", report);
}

}  // namespace kalaba::python
