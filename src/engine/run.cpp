#include "kalaba/run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "backend/backends.hpp"

namespace kalaba {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Steps of a run at which something is saved: 0, every save_every, and the last.
std::vector<long> saved_steps(const TimeGrid& time) {
  std::vector<long> steps;
  for (long step = 0; step < time.steps(); step += time.save_every) steps.push_back(step);
  steps.push_back(time.steps());
  return steps;
}

void check_options(const System& system, const Options& options) {
  const auto refuse = [&](const std::string& why) { throw Error(ExitCode::bad_input, system.info.name + ": " + why); };
  const TimeGrid& time = options.time;
  if (!std::isfinite(time.start) || !std::isfinite(time.end) || !(time.dt > 0) || !std::isfinite(time.dt)) {
    refuse("time.start, time.end and dt must be finite, and dt positive");
  }
  if (!(time.end > time.start)) refuse("time.end must be after time.start");
  const double steps = (time.end - time.start) / time.dt;
  if (!(steps <= 1e12)) refuse("more than 1e12 steps");
  if (std::abs(steps - std::round(steps)) > 1e-9 * std::max(1.0, steps)) {
    refuse("time.end - time.start is not a whole number of dt");
  }
  if (time.save_every < 1) refuse("save_every must be at least 1");
  if (!(options.method.rank_tolerance > 0 && options.method.rank_tolerance < 1)) {
    refuse("rank_tolerance must be between 0 and 1");
  }
  if (!(options.method.consistency_tolerance > 0)) refuse("consistency_tolerance must be positive");
  if (options.threads < 0) refuse("threads must not be negative");
  if (options.block_members < 0) refuse("block_members must not be negative");
  for (const Field field : all_fields) {
    if (options.fields.has(field) && !has_field(system.info, field)) {
      refuse("this system states no " + std::string(field_name(field)));
    }
  }
  if (system.info.servo &&
      (options.project_start || options.method.stabilization.kind == Stabilization::Kind::projection)) {
    refuse(
        "a servo-constraint is not projected on: its actuators hold it; use stabilization none, baumgarte or feedback");
  }
}

/// Members held at once: what fits the memory budget, in whole alignments.
long block_capacity(const SystemInfo& info, const Options& options, long members) {
  if (options.block_members > 0) return std::min(options.block_members, members);
  const auto q = static_cast<double>(info.coordinates.size());
  const auto w = static_cast<double>(info.rates.size());
  const auto m = static_cast<double>(info.constraints.size());
  const double doubles = static_cast<double>(info.parameters.size()) + 2 * q + 3 * w + m * m + 2 * m + 10;
  const auto fitting = static_cast<long>(options.memory_budget / (8 * doubles));
  const long aligned = std::max(fitting / Block::alignment, 1L) * Block::alignment;
  const long enough = options.backend == Backend::cuda ? 1L << 22 : 1L << 16;  // to keep the backend busy
  return std::min({aligned, enough, members});
}

void take_worst(double& worst, Field field, const Observation& seen, long members) {
  const std::vector<double>& values = seen.values[static_cast<std::size_t>(field)];
  for (std::size_t i = 0; i < std::min(values.size(), static_cast<std::size_t>(members)); ++i) {
    if (seen.status[i] == Status::ok) worst = std::max(worst, values[i]);
  }
}

/// One run as it goes.
class Engine {
 public:
  Engine(const System& system, const MemberSource& source, const Options& options, std::span<Sink* const> sinks,
         const std::function<void(const Progress&)>& progress, std::stop_token stop, const RunPart& part)
      : system_(system),
        source_(source),
        options_(options),
        sinks_(sinks),
        progress_(progress),
        stop_(std::move(stop)),
        steps_(saved_steps(options.time)),
        fields_(observed_fields()),
        first_(part.first),
        summary_(part.before) {
    summary_.members = part.members < 0 ? source.members() - part.first : part.members;
    if (first_ < 0 || summary_.members < 1 || first_ + summary_.members > source.members() ||
        summary_.finished_members > summary_.members) {
      throw Error(ExitCode::bad_input, system.info.name + ": expected a part of the " +
                                           std::to_string(source.members()) + " members, found " +
                                           std::to_string(summary_.members) + " from " + std::to_string(first_) +
                                           " on");
    }
  }

  Summary run() {
    ChosenBackend chosen = choose_backend(system_, options_);
    runner_ = std::move(chosen.runner);
    options_.backend = chosen.backend;
    summary_.device = chosen.device;
    RunInfo info{&system_.info, options_, summary_.members, first_, 0, saved_times(options_.time), chosen.device};
    if (summary_.members < source_.members()) info.ensemble_members = source_.members();
    for (Sink* sink : sinks_) sink->begin(info);
    const long capacity = runner_->reserve(block_capacity(system_.info, options_, summary_.members));
    Block block(static_cast<int>(system_.info.parameters.size()), static_cast<int>(system_.info.coordinates.size()),
                static_cast<int>(system_.info.rates.size()), capacity);
    try {
      for (long done = summary_.finished_members; done < summary_.members && !summary_.interrupted; done += capacity) {
        block.assign(first_ + done, std::min(capacity, summary_.members - done));
        run_block(block);
      }
    } catch (const Error&) {
      if (backend_failed_ && summary_.finished_members > 0) keep_finished_members();
      throw;
    }
    finish();
    return summary_;
  }

 private:
  void finish() {
    const long unreached = summary_.members - summary_.finished_members;
    summary_.by_status[static_cast<std::size_t>(Status::stopped)] += unreached;
    summary_.seconds = seconds();
    for (Sink* sink : sinks_) sink->finish(summary_);
  }

  /// A device failed: what it did before stays, as after an interrupt.
  void keep_finished_members() {
    summary_.interrupted = true;
    finish();
  }

  /// The frame before is written while the backend may already be on its way to the next.
  void run_block(Block& block) {
    source_.fill(block);
    timed([&] { runner_->start(block, options_.time.start, options_.project_start); });
    observe(block, 0);
    for (std::size_t frame = 1; frame < steps_.size(); ++frame) {
      if (stop_.stop_requested()) {
        summary_.interrupted = true;
        break;
      }
      const long steps = steps_[frame] - steps_[frame - 1];
      timed([&] { runner_->advance(block, options_.time, steps_[frame - 1], steps); });
      write(block, frame - 1);
      observe(block, frame);
      summary_.member_steps += static_cast<double>(steps) * static_cast<double>(block.members);
      report();
    }
    write(block, observed_);
    timed([&] { runner_->synchronize(block); });
    if (summary_.interrupted) mark_stopped(block, options_.time.at(steps_[observed_]));
    for (Sink* sink : sinks_) sink->end_block(block);
    if (summary_.interrupted) return;
    count(block);
    summary_.seconds = seconds();
    for (Sink* sink : sinks_) sink->block_finished(summary_);
  }

  /// Violation and residual are always observed: the summary reports the worst.
  FieldSet observed_fields() const {
    FieldSet fields = options_.fields | FieldSet{Field::violation, Field::residual};
    for (const Sink* sink : sinks_) fields = fields | sink->always_writes();
    return fields;
  }

  void observe(const Block& block, std::size_t frame) {
    timed([&] { runner_->observe(block, options_.time.at(steps_[frame]), fields_, observation_); });
    observed_ = frame;
  }

  void write(const Block& block, std::size_t frame) {
    timed([&] { runner_->wait(observation_); });
    take_worst(summary_.worst_violation, Field::violation, observation_, block.members);
    take_worst(summary_.worst_residual, Field::residual, observation_, block.members);
    const double time = options_.time.at(steps_[frame]);
    for (Sink* sink : sinks_) sink->write({static_cast<long>(frame), time, block, observation_});
  }

  void mark_stopped(Block& block, double time) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(block.members); ++i) {
      if (block.status[i] != Status::ok) continue;
      block.status[i] = Status::stopped;
      block.failure_time[i] = time;
    }
  }

  void count(const Block& block) {
    summary_.finished_members += block.members;
    for (std::size_t i = 0; i < static_cast<std::size_t>(block.members); ++i) {
      ++summary_.by_status[static_cast<std::size_t>(block.status[i])];
      if (block.rank_changes[i] > 0) ++summary_.rank_changes;
    }
  }

  void report() const {
    if (!progress_) return;
    const double total = static_cast<double>(options_.time.steps()) * static_cast<double>(summary_.members);
    progress_({summary_.member_steps, total, seconds()});
  }

  double seconds() const { return before_ + seconds_since(begin_); }

  template <class Work>
  void timed(const Work& work) {
    const auto begin = Clock::now();
    backend_failed_ = true;  // unless it returns
    work();
    backend_failed_ = false;
    summary_.compute_seconds += seconds_since(begin);
  }

  const System& system_;
  const MemberSource& source_;
  Options options_;
  std::span<Sink* const> sinks_;
  const std::function<void(const Progress&)>& progress_;
  std::stop_token stop_;
  std::vector<long> steps_;
  FieldSet fields_;
  std::unique_ptr<Runner> runner_;
  Observation observation_;
  long first_;
  Summary summary_;
  bool backend_failed_ = false;
  std::size_t observed_ = 0;          ///< frame of the observation
  double before_ = summary_.seconds;  ///< s, of the run that was broken off
  Clock::time_point begin_ = Clock::now();
};

}  // namespace

long Summary::failed() const {
  long failures = 0;
  for (const Status status :
       {Status::non_finite, Status::not_converged, Status::inconsistent_constraints, Status::singular_constraints}) {
    failures += by_status[static_cast<std::size_t>(status)];
  }
  return failures;
}

std::vector<double> saved_times(const TimeGrid& time) {
  std::vector<double> times;
  for (const long step : saved_steps(time)) times.push_back(time.at(step));
  return times;
}

Summary run(const System& system, const MemberSource& source, const Options& options, std::span<Sink* const> sinks,
            const std::function<void(const Progress&)>& progress, std::stop_token stop, RunPart part) {
  check_options(system, options);
  return Engine(system, source, options, sinks, progress, std::move(stop), part).run();
}

}  // namespace kalaba
