#include <algorithm>
#include <utility>

#include "engine/run/block_state.hpp"
#include "engine/run/engine.hpp"
#include "engine/run/failure_reason.hpp"
#include "engine/run/summary.hpp"
#include "kalaba/starts.hpp"

namespace kalaba {

std::size_t Engine::begin_block(Block& block, long& step) {
  source_.fill(block);
  for (Sink* sink : sinks_) sink->begin_block(block);
  observed_.reset();
  if (block_checkpoint_ == nullptr) {
    step = 0;
    if (shifts_.any()) shifts_.take(block);
    timed([&] { runner_->start(block, options_.time.start, options_.project_start); });
    if (shifts_.any()) {
      hold_starts(block);
      tell_starts(block);
    }
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

void Engine::note_events(const Block& block, double time) {
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

/// Starts the block again where given starts moved that are to stay: all of it, from where it was drawn, to the same bits.
void Engine::hold_starts(Block& block) {
  const auto* const holding = dynamic_cast<const HoldingSource*>(&source_);
  if (holding == nullptr) return;
  timed([&] { runner_->synchronize(block); });
  const std::vector<long> moved = shifts_.moved(block);
  if (moved.empty()) return;
  block.assign(block.first, block.members);
  source_.fill(block);
  holding->hold(block, moved);
  timed([&] { runner_->start(block, options_.time.start, options_.project_start); });
}

void Engine::tell_starts(Block& block) {
  timed([&] { runner_->synchronize(block); });
  shifts_.add(block, summary_.starts);
  for (Sink* sink : sinks_) sink->begin_motion(block);
}

void Engine::run_block(Block& block) {
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
  if (summary_.first_failure.empty() && summary_.first_failed >= block.first) {
    summary_.first_failure = failure_reason(system_, options_, block, summary_.first_failed - block.first);
  }
  for (Sink* sink : sinks_) sink->block_finished(summary_);
}

bool Engine::advance(Block& block, Strides& strides, long& step, long to, std::size_t frame) {
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

void Engine::keep(const Block& block, long step, std::size_t frame) {
  Summary so_far = summary_;
  so_far.interrupted = false;
  so_far.seconds = seconds();
  if (so_far.first_failure.empty()) so_far.first_failure = first_failure();
  keeper_->save_block_checkpoint(
      so_far, {block.first, block.members, step, static_cast<long>(frame), state_of(block, drift_, exponents_)});
}

void Engine::observe(Block& block, std::size_t frame) {
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

void Engine::write_observed(const Block& block) {
  if (!observed_) return;
  const std::size_t frame = *std::exchange(observed_, std::nullopt);
  if (reduction_) return write_reduced(frame);
  timed([&] { runner_->wait(observation_); });
  take_worst(observation_, block.members, summary_);
  if (watches_energy()) drift_.take(observation_);
  for (Sink* sink : sinks_) sink->write({static_cast<long>(frame), saved_[frame].time, block, observation_});
}

void Engine::write_reduced(std::size_t frame) {
  ReducedObservation taken;
  timed([&] { taken = reduction_->take(static_cast<long>(frame)); });
  summary_.worst_violation = std::max(summary_.worst_violation, taken.worst_violation);
  summary_.worst_residual = std::max(summary_.worst_residual, taken.worst_residual);
  reduction_->write(taken);
}

}  // namespace kalaba
