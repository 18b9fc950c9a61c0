#include "kalaba/run.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "backend/backends.hpp"
#include "engine/run/block_size.hpp"
#include "engine/run/block_state.hpp"
#include "engine/run/check_options.hpp"
#include "engine/run/energy_drift.hpp"
#include "engine/run/frame_reduction.hpp"
#include "engine/run/lyapunov_exponents.hpp"
#include "engine/run/saved_instants.hpp"
#include "engine/run/start_shifts.hpp"
#include "engine/run/strides.hpp"
#include "engine/run/summary.hpp"
#include "engine/statistics/histogram_ranges.hpp"
#include "kalaba/block_checkpoint.hpp"
#include "kalaba/sensitivities.hpp"

namespace kalaba {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

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
        saved_(saved_instants(options)),
        exponents_(system.info, options),
        fields_(observed_fields()),
        shifts_(system, source, options),
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
    options_.watch = watch_of(options.events, system.info);
    options_.sensitivities = sensitivity_plan(system, source);
    StatisticsOptions& statistics = options_.statistics;
    if (statistics.has(Statistic::histogram) && statistics.histograms.empty()) {
      statistics.histograms = histogram_ranges(system, source, options);
    }
    if (summary_.events.empty()) {
      for (const Event& event : options.events)
        summary_.events.push_back({.name = event.name, .action = event.action, .was_finite = false});
    }
    grid_steps_ = static_cast<double>(options.time.steps()) * static_cast<double>(summary_.finished_members);
  }

  Summary run(const std::function<void(const RunInfo&)>& begun) {
    ChosenBackend chosen = choose_backend(system_, options_);
    begin_ = Clock::now();  // how long compiling took is said apart
    runner_ = std::move(chosen.runner);
    options_.backend = chosen.backend;
    options_.method.pseudo_inverse = summary_.pseudo_inverse = chosen.pseudo_inverse;
    summary_.device = chosen.device;
    summary_.compiled = chosen.compiled;
    RunInfo info{&system_.info,         options_,      summary_.members, first_, 0,
                 saved_times(options_), chosen.device, chosen.note};
    info.interpreted = chosen.interpreted;
    if (summary_.members < source_.members()) info.ensemble_members = source_.members();
    if (begun) begun(info);
    for (Sink* sink : sinks_) sink->begin(info);
    const long at_once = block_capacity(system_.info, options_, summary_.members);
    if (!exponents_.wanted()) {  // those are of the host
      reduction_ = FrameReduction::offered(*runner_, sinks_, options_.fields, first_ + summary_.finished_members,
                                           at_once, summary_.members - summary_.finished_members);
    }
    find_block_checkpoint();
    const long capacity = runner_->reserve(reduction_ ? reduction_->at_once() : at_once);
    const auto count = [&](const std::vector<Variable>& variables) {
      return static_cast<int>(static_cast<long>(variables.size()) * system_.info.copies());
    };
    Block block(static_cast<int>(system_.info.parameters.size()), count(system_.info.coordinates),
                count(system_.info.rates), capacity, padding_of(system_.info), options_.watch.count,
                static_cast<int>(system_.info.sensitivities.size()));
    try {
      BlockSizes sizes(system_.info, options_, capacity);
      for (long done = summary_.finished_members; done < summary_.members && !summary_.interrupted;) {
        if (done > 0 && stop_.stop_requested()) {
          summary_.interrupted = true;
          break;
        }
        const auto begin = Clock::now();
        const long next = block_checkpoint_ != nullptr ? block_checkpoint_->members : sizes.next();
        block.assign(first_ + done, std::min(next, summary_.members - done));
        run_block(block);
        sizes.took(block.members, seconds_since(begin));
        done += block.members;
      }
    } catch (const Error&) {
      if (backend_failed_ && summary_.finished_members > 0) keep_finished_members();
      throw;
    }
    finish();
    return summary_;
  }

 private:
  std::string first_failure() const {
    const std::string of_start = source_.first_failure();
    return of_start.empty() ? runner_->first_failure() : of_start;
  }

  void finish() {
    const long unreached = summary_.members - summary_.finished_members;
    for (EventOutcome& event : summary_.events) event.was_finite = event.was_finite || summary_.finished_members == 0;
    summary_.by_status[static_cast<std::size_t>(Status::interrupted)] += unreached;
    summary_.seconds = seconds();
    if (summary_.first_failure.empty()) summary_.first_failure = first_failure();
    for (Sink* sink : sinks_) sink->finish(summary_);
  }

  /// A device failed: what it did before stays, as after an interrupt.
  void keep_finished_members() {
    summary_.interrupted = true;
    finish();
  }

  /// Of a run on the CPU, whose blocks are at all times what its runner knows: a place to go on from, and who keeps
  /// others.
  void find_block_checkpoint() {
    if (options_.backend != Backend::cpu) return;
    for (Sink* sink : sinks_) {
      if (keeper_ == nullptr) keeper_ = dynamic_cast<BlockCheckpointSink*>(sink);
    }
    if (keeper_ == nullptr) return;
    if (const BlockCheckpoint* const place = keeper_->block_checkpoint())
      block_checkpoint_ = std::make_unique<BlockCheckpoint>(*place);
    if (!keeper_->keeps_block_checkpoints()) keeper_ = nullptr;
  }

  /// The first saved time that is left; the block is then at `step`.
  std::size_t begin_block(Block& block, long& step) {
    source_.fill(block);
    for (Sink* sink : sinks_) sink->begin_block(block);
    observed_.reset();
    if (block_checkpoint_ == nullptr) {
      step = 0;
      if (shifts_.any()) shifts_.take(block);
      timed([&] { runner_->start(block, options_.time.start, options_.project_start); });
      if (shifts_.any()) tell_starts(block);
      note_events(block, options_.time.start);
      if (watches_energy()) {
        timed([&] {
          runner_->observe(block, options_.time.start, FieldSet{Field::energy}, observation_);
          runner_->wait(observation_);
        });
        drift_.begin(observation_, block.members);
      }
      if (exponents_.wanted()) {
        timed([&] {
          runner_->observe(block, options_.time.start, LyapunovExponents::observed, observation_);
          runner_->wait(observation_);
          exponents_.begin(observation_, block, *runner_);
        });
      }
      return 0;
    }
    const std::unique_ptr<const BlockCheckpoint> place = std::move(block_checkpoint_);
    restore(block, drift_, exponents_, place->state);
    step = place->step;
    grid_steps_ += static_cast<double>(step) * static_cast<double>(block.members);
    return static_cast<std::size_t>(place->frame);
  }

  /// Which events' expressions are numbers at all; where the members stay on a device, those of the state alone.
  void note_events(const Block& block, double time) {
    const Watch& watch = options_.watch;
    Observation seen;
    if (watch.observes()) {
      if (reduction_) {
        for (EventOutcome& event : summary_.events) event.was_finite = true;
        return;
      }
      timed([&] {
        runner_->observe(block, time, watched_fields(), seen);
        runner_->wait(seen);
      });
    }
    note_finite(block, watch, time, seen, summary_);
  }

  /// All that an expression may be of, so that the rows are where WatchedRows says.
  FieldSet watched_fields() const {
    FieldSet fields = {Field::multipliers};
    if (system_.info.has_energy) fields = fields | FieldSet{Field::energy};
    if (!system_.info.invariants.empty()) fields = fields | FieldSet{Field::invariants};
    return fields;
  }

  void tell_starts(Block& block) {
    timed([&] { runner_->synchronize(block); });
    shifts_.add(block, summary_.starts);
    for (Sink* sink : sinks_) sink->begin_motion(block);
  }

  /// The frame before is written while the backend may already be on its way to the next.
  void run_block(Block& block) {
    long step = 0;
    std::size_t frame = begin_block(block, step);
    Strides strides(system_.info, block);
    for (; frame < saved_.size(); ++frame) {
      if (frame > 0 && stop_.stop_requested()) break;
      if (!advance(block, strides, step, saved_[frame].step, frame)) break;
      write_observed(block);
      if (keeper_ != nullptr && frame > 0 && keeper_->wants_block_checkpoint()) keep(block, step, frame);
      observe(block, frame);
    }
    summary_.interrupted = frame < saved_.size();
    if (!summary_.interrupted) {  // behind the last time of save_at
      summary_.interrupted = !advance(block, strides, step, options_.time.steps(), frame);
    }
    write_observed(block);
    timed([&] { reduction_ ? reduction_->conclude(block) : runner_->synchronize(block); });
    if (summary_.interrupted && keeper_ != nullptr) keep(block, step, frame);
    if (summary_.interrupted) mark_interrupted(block, options_.time.at(step));
    for (Sink* sink : sinks_) sink->end_block(block);
    add_steps(block, options_, step, summary_);
    if (summary_.interrupted) return;
    add_block(block, summary_);
    note_events(block, options_.time.end);
    if (watches_energy()) drift_.add_to(summary_, block);
    if (exponents_.wanted()) exponents_.add_to(summary_, block);
    summary_.seconds = seconds();
    if (summary_.first_failure.empty()) summary_.first_failure = first_failure();
    for (Sink* sink : sinks_) sink->block_finished(summary_);
  }

  /// Moves the block on to step `to`, on the way to a frame; a GPU without a look up. False where it was stopped.
  bool advance(Block& block, Strides& strides, long& step, long to, std::size_t frame) {
    const bool looks_up = options_.backend != Backend::cuda || system_.info.agents > 0;
    while (step < to) {
      if (looks_up && step > 0 && stop_.stop_requested()) return false;
      const long steps = looks_up ? strides.next(to - step) : to - step;
      const auto begin = Clock::now();
      timed([&] { runner_->advance(block, options_.time, step, steps); });
      strides.took(steps, seconds_since(begin));
      step += steps;
      grid_steps_ += static_cast<double>(steps) * static_cast<double>(block.members);
      report();
      if (step < to && keeper_ != nullptr && keeper_->wants_block_checkpoint()) {
        write_observed(block);
        keep(block, step, frame);
      }
    }
    return true;
  }

  void keep(const Block& block, long step, std::size_t frame) {
    Summary so_far = summary_;
    so_far.interrupted = false;
    so_far.seconds = seconds();
    if (so_far.first_failure.empty()) so_far.first_failure = first_failure();
    keeper_->save_block_checkpoint(
        so_far, {block.first, block.members, step, static_cast<long>(frame), state_of(block, drift_, exponents_)});
  }

  /// Violation and residual are always observed, and an energy that is conserved: the summary reports the worst.
  FieldSet observed_fields() const {
    FieldSet fields = options_.fields | FieldSet{Field::violation, Field::residual};
    if (system_.info.conserves_energy) fields = fields | FieldSet{Field::energy};
    if (exponents_.wanted()) fields = fields | LyapunovExponents::observed;
    for (const Sink* sink : sinks_) fields = fields | sink->always_writes();
    return fields;
  }

  bool watches_energy() const { return system_.info.conserves_energy && !reduction_; }

  void observe(Block& block, std::size_t frame) {
    const Saved& saved = saved_[frame];
    timed([&] {
      if (saved.between) {
        runner_->observe_between(block, options_.time, saved.step, saved.time, fields_, observation_);
      } else {
        runner_->observe(block, saved.time, fields_, observation_);
      }
      if (!exponents_.wanted()) return;
      runner_->wait(observation_);
      exponents_.take(observation_, saved.time, block, *runner_);
    });
    observed_ = frame;
  }

  void write_observed(const Block& block) {
    if (!observed_) return;
    const std::size_t frame = *std::exchange(observed_, std::nullopt);
    if (reduction_) return write_reduced(frame);
    timed([&] { runner_->wait(observation_); });
    take_worst(observation_, block.members, summary_);
    if (watches_energy()) drift_.take(observation_);
    for (Sink* sink : sinks_) sink->write({static_cast<long>(frame), saved_[frame].time, block, observation_});
  }

  void write_reduced(std::size_t frame) {
    ReducedObservation taken;
    timed([&] { taken = reduction_->take(static_cast<long>(frame)); });
    summary_.worst_violation = std::max(summary_.worst_violation, taken.worst_violation);
    summary_.worst_residual = std::max(summary_.worst_residual, taken.worst_residual);
    reduction_->write(taken);
  }

  void report() const {
    if (!progress_) return;
    const double total = static_cast<double>(options_.time.steps()) * static_cast<double>(summary_.members);
    progress_({grid_steps_, total, seconds()});
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
  std::vector<Saved> saved_;
  LyapunovExponents exponents_;  ///< of the present block
  FieldSet fields_;
  std::unique_ptr<Runner> runner_;
  std::unique_ptr<FrameReduction> reduction_;  // null where the members come to the host
  Observation observation_;
  StartShifts shifts_;
  EnergyDrift drift_;  ///< of the present block
  long first_;
  Summary summary_;
  double grid_steps_ = 0;  ///< of all members
  bool backend_failed_ = false;
  std::optional<std::size_t> observed_;                      ///< frame of the observation, where it is not yet written
  std::unique_ptr<const BlockCheckpoint> block_checkpoint_;  ///< where the first block goes on
  BlockCheckpointSink* keeper_ = nullptr;                    ///< of such places
  double before_ = summary_.seconds;                         ///< s, of the run that was broken off
  Clock::time_point begin_ = Clock::now();
};

}  // namespace

std::string backend_text(Backend backend, bool interpreted) {
  return std::string(backend_name(backend)) + (interpreted ? ", interpreted" : "");
}

Summary run(const System& system, const MemberSource& source, const Options& options, std::span<Sink* const> sinks,
            const std::function<void(const Progress&)>& progress, std::stop_token stop, RunPart part,
            const std::function<void(const RunInfo&)>& begun) {
  check_options(system, options);
  return Engine(system, source, options, sinks, progress, std::move(stop), part).run(begun);
}

}  // namespace kalaba
