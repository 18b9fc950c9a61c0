#include <algorithm>
#include <utility>

#include <string>
#include "engine/run/conserved.hpp"
#include "engine/run/constraint_judge.hpp"
#include "engine/run/engine.hpp"
#include "engine/run/lyapunov_exponents.hpp"
#include "engine/run/summary.hpp"
#include "kalaba/block.hpp"
#include "kalaba/member_block.hpp"
#include "kalaba/starts.hpp"
#include "kalaba/state.hpp"

namespace kalaba {
namespace {

/// Calls visit(list) for the vectors that contain a block's state, whose sizes the block determines. The parameters are
/// among them because the discrete variables are.
template <class AnyBlock, class Visit>
void for_each_list(AnyBlock& block, const Visit& visit) {
  for (auto* list : {&block.parameters, &block.q, &block.w, &block.failure_time}) visit(*list);
  for (const BlockCounter& counter : block_counters) visit(block.*counter.values);
  visit(block.events);
}

/// Returns the state of a block that its runner and its source cannot recompute (everything except the parameters),
/// with the judgements of its constraints and conserved numbers and the growth of its directions so far.
std::string state_of(const Block& block, const ConstraintJudge& judge, const ConservedNumbers& conserved,
                     const LyapunovExponents& exponents) {
  StateWriter state;
  for_each_list(block, [&](const std::vector<double>& list) { state.put(list); });
  state.put(block.status);
  state.put(block.backend_state);
  state.put(block.under_way);
  judge.save(state);
  conserved.save(state);
  exponents.save(state);
  return std::move(state).bytes();
}

/// Restores it into a block of the same members. Throws Error(file_error) if it belongs to another block.
void restore(Block& block, ConstraintJudge& judge, ConservedNumbers& conserved, LyapunovExponents& exponents,
             const std::string& bytes) {
  StateReader state(bytes);
  for_each_list(block, [&](std::vector<double>& list) {
    std::vector<double> values = state.get_all<double>();
    state.require(values.size() == list.size(), "a block of the same members");
    list = std::move(values);
  });
  block.status = state.get_all<Status>();
  block.backend_state = state.get_all<double>();  // its size depends on the backend
  block.under_way = state.get<long>();
  state.require(block.under_way >= 0, "a number of steps");
  judge.restore(state);
  conserved.restore(state);
  exponents.restore(state);
  state.require(state.is_at_end(), "an end");
}

}  // namespace

std::size_t Engine::begin_block(Block& block, long& step) {
  fill_members(system_, source_, block);
  for (Sink* sink : sinks_) sink->begin_block(block);
  observed_.reset();
  if (block_checkpoint_ == nullptr) {
    step = 0;
    shifts_.take(block);
    start(block);
    note_events(block, options_.time.start);
    if (watches_conserved()) {
      timed([&] {
        runner_->observe(block, options_.time.start, conserved_.fields(), observation_);
        runner_->wait(observation_);
      });
      conserved_.begin(observation_, block);
    }
    if (exponents_.requested()) {
      timed([&] {
        runner_->observe(block, options_.time.start, LyapunovExponents::observed, observation_);
        runner_->wait(observation_);
        exponents_.begin(observation_, block, *runner_);
      });
    }
    return 0;
  }
  const std::unique_ptr<const BlockCheckpoint> place = std::move(block_checkpoint_);
  restore(block, judge_, conserved_, exponents_, place->state);
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

void Engine::count_derivatives(const Block& block) {
  if (system_.info.sensitivities.empty() || exponents_.requested() || reduction_) return;
  const FieldSet derivatives = {Field::q_sensitivity, Field::w_sensitivity};
  const bool are_saved = fields_.has(Field::q_sensitivity) && fields_.has(Field::w_sensitivity);
  Observation seen;
  timed([&] {  // a GPU has a kernel for the saved fields
    runner_->observe(block, options_.time.end, are_saved ? fields_ : derivatives, seen);
    runner_->wait(seen);
  });
  add_lost_derivatives(block, seen, summary_);
}

void Engine::draw_again(Block& block) {
  block.assign(block.first, block.members);
  fill_members(system_, source_, block);
  if (const auto* const holding = dynamic_cast<const HoldingSource*>(&source_)) holding->hold(block, held_);
}

void Engine::start(Block& block) {
  const auto start_all = [&] { timed([&] { runner_->start(block, options_.time.start, options_.project_start); }); };
  held_.clear();
  start_all();
  if (dynamic_cast<const HoldingSource*>(&source_) != nullptr) {
    // All members start again if starts that must stay have moved; the other members get bit-identical starts.
    timed([&] { runner_->synchronize(block); });
    held_ = shifts_.moved(block, source_.given_starts());
    if (!held_.empty()) {
      draw_again(block);
      start_all();
    }
  }
  if (judges_constraints()) {
    timed([&] { runner_->synchronize(block); });
    if (judge_.assembles()) assemble(block, start_all);
    judge_.begin(block, observe_violation(block));
    judge_.add_starts_to(summary_, block);
  }
  if (!options_.project_start || system_.info.constraints.empty() || system_.info.agents > 0) return;
  timed([&] { runner_->synchronize(block); });
  if (judges_constraints()) shifts_.add(block, judge_, summary_.starts);
  if (source_.given_starts().empty()) return;
  for (Sink* sink : sinks_) sink->begin_motion(block);
}

template <class StartAll>
void Engine::assemble(Block& block, const StartAll& start_all) {
  const std::vector<long> open = judge_.unassembled(block, observe_violation(block));
  const std::vector<long> turned = shifts_.turned(block);
  std::vector<long> hopeless;
  for (int tries = 0; tries < 2 && !(open.empty() && turned.empty()); ++tries) {
    // All members start again from their drawn starts, bit-identically.
    draw_again(block);
    judge_.assemble(block, open, hopeless);
    judge_.assemble_closer(block, turned);
    start_all();
    timed([&] { runner_->synchronize(block); });
    hopeless = judge_.unassembled(block, observe_violation(block));
    if (hopeless.empty()) return;
  }
}

const std::vector<double>& Engine::observe_violation(const Block& block) {
  timed([&] {
    runner_->observe(block, options_.time.start, FieldSet{Field::violation}, observation_);
    runner_->wait(observation_);
  });
  return observation_.values[static_cast<std::size_t>(Field::violation)];
}

void Engine::run_block(Block& block) {
  long step = 0;
  std::size_t frame = begin_block(block, step);
  Strides strides(system_.info, block);
  for (; frame < saved_.size(); ++frame) {
    if (frame > 0 && stop_.stop_requested()) break;
    if (!advance(block, strides, step, saved_[frame].step, frame)) break;
    write_observed(block);
    if (keeper_ != nullptr && frame > 0 && keeper_->is_block_checkpoint_due()) keep(block, step, frame);
    observe(block, frame);
    if (system_.info.discrete > 0) write_observed(block);   // while the block has the discrete variables of this time
    if (saved_[frame].between && stop_.stop_requested()) {  // the observation may not have reached its time
      observed_.reset();
      break;
    }
  }
  summary_.interrupted = frame < saved_.size();
  if (!summary_.interrupted) {  // after the last time of save_at
    summary_.interrupted = !advance(block, strides, step, options_.time.steps(), frame);
  }
  write_observed(block);
  timed([&] { runner_->synchronize(block); });
  if (summary_.interrupted && keeper_ != nullptr) keep(block, step, frame);
  if (summary_.interrupted) mark_interrupted(block, options_.time.at(step));
  add_steps(block, options_, step, summary_);
  if (judges_constraints()) judge_.mark(block);
  report_times(block, options_.time);
  for (Sink* sink : sinks_) sink->end_block(block);
  if (summary_.interrupted) return;
  add_block(block, options_.watch, summary_);
  note_failures(block, summary_);
  note_events(block, options_.time.end);
  count_derivatives(block);
  if (judges_constraints()) judge_.add_to(summary_, block);
  if (watches_conserved()) conserved_.add_to(summary_, block);
  if (exponents_.requested()) exponents_.add_to(summary_, block);
  summary_.seconds = seconds();
  for (Sink* sink : sinks_) sink->block_finished(summary_);
}

bool Engine::advance(Block& block, Strides& strides, long& step, long to, std::size_t frame) {
  const bool looks_up = options_.backend != Backend::cuda || system_.info.agents > 0;
  while (step < to) {
    if (looks_up && stop_.stop_requested()) return false;
    const long left = to - step;
    const long steps = block.under_way > 0 ? block.under_way : looks_up ? strides.next(left) : left;
    const auto begin = Clock::now();
    if (!advance_by(block, step, steps, frame)) return false;
    strides.took(steps, seconds_since(begin));
    step += steps;
    grid_steps_ += static_cast<double>(steps) * static_cast<double>(block.members);
    report();
    if (step < to) keep_if_due(block, step, frame);
  }
  return true;
}

bool Engine::advance_by(Block& block, long step, long steps, std::size_t frame) {
  for (;;) {
    bool is_done = false;
    pauses_.clear();
    timed([&] { is_done = runner_->advance(block, options_.time, step, steps); });
    if (is_done) return true;
    if (stop_.stop_requested()) return false;
    report();
    keep_if_due(block, step, frame);
  }
}

void Engine::keep_if_due(Block& block, long step, std::size_t frame) {
  if (keeper_ == nullptr || !keeper_->is_block_checkpoint_due()) return;
  write_observed(block);
  keep(block, step, frame);
}

void Engine::keep(const Block& block, long step, std::size_t frame) {
  Summary so_far = summary_;
  so_far.interrupted = false;
  so_far.seconds = seconds();
  note_failures(block, so_far);
  keeper_->save_block_checkpoint(so_far, {block.first, block.members, step, static_cast<long>(frame),
                                          state_of(block, judge_, conserved_, exponents_)});
}

void Engine::observe(Block& block, std::size_t frame) {
  const Saved& saved = saved_[frame];
  const double time = saved.moment(options_.time);
  timed([&] {
    if (saved.between) {
      runner_->observe_between(block, options_.time, saved.step, time, fields_, observation_);
    } else {
      runner_->observe(block, time, fields_, observation_);
    }
    if (!exponents_.requested()) return;
    runner_->wait(observation_);
    exponents_.take(observation_, time, block, *runner_);
  });
  observed_ = frame;
}

void Engine::write_observed(const Block& block) {
  if (!observed_) return;
  const std::size_t frame = *std::exchange(observed_, std::nullopt);
  if (reduction_) return write_reduced(frame);
  timed([&] { runner_->wait(observation_); });
  take_worst(observation_, block.members, summary_);
  const double time = saved_[frame].moment(options_.time);
  if (judges_constraints()) judge_.take(observation_, time, block);
  if (watches_conserved()) conserved_.take(observation_, time, block);
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
