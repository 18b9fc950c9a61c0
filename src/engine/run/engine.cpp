#include "engine/run/engine.hpp"

#include <algorithm>
#include <utility>

#include "backend/backends.hpp"
#include "engine/run/block_size.hpp"
#include "engine/run/failure_reason.hpp"
#include "engine/run/summary.hpp"
#include "engine/statistics/histogram_ranges.hpp"
#include "kalaba/member_block.hpp"

namespace kalaba {

Engine::Engine(const System& system, const MemberSource& source, const Options& options, std::span<Sink* const> sinks,
               const std::function<void(const Progress&)>& progress, std::stop_token stop, const RunPart& part)
    : system_(system),
      source_(source),
      options_(options),
      sinks_(sinks),
      progress_(progress),
      stop_(std::move(stop)),
      pauses_(stop_),
      saved_(saved_instants(options)),
      exponents_(system.info, options),
      model_(system, options),
      judge_(system, model_, options),
      conserved_(system, model_, options),
      shifts_(system, options),
      fields_(observed_fields()),
      first_(part.first),
      is_part_(part.members >= 0 || part.first > 0),
      summary_(part.before) {
  summary_.members = part.members < 0 ? source.members() - part.first : part.members;
  if (first_ < 0 || summary_.members < 1 || first_ + summary_.members > source.members() ||
      summary_.finished_members > summary_.members) {
    throw Error(ExitCode::bad_input, system.info.name + ": expected a part of the " + std::to_string(source.members()) +
                                         " members, found " + std::to_string(summary_.members) + " from " +
                                         std::to_string(first_) + " on");
  }
  options_ = completed_options(system, source, options);
  StatisticsOptions& statistics = options_.statistics;
  if (statistics.has(Statistic::histogram) && statistics.histograms.empty()) {
    statistics.histograms = histogram_ranges(system, source, options);
  }
  if (summary_.events.empty()) {
    for (const Event& event : options_.events)
      summary_.events.push_back({.name = event.name, .action = event.action, .was_finite = false});
  }
  grid_steps_ = static_cast<double>(options.time.steps()) * static_cast<double>(summary_.finished_members);
}

Summary Engine::run(const std::function<void(const RunInfo&)>& begun) {
  ChosenBackend chosen = choose_backend(system_, options_, summary_.members - summary_.finished_members);
  begin_ = Clock::now();  // the time to compile is reported separately
  runner_ = std::move(chosen.runner);
  runner_->pause_on(pauses_.word());
  options_.backend = chosen.backend;
  options_.method.pseudo_inverse = summary_.pseudo_inverse = chosen.pseudo_inverse;
  summary_.device = chosen.device;
  summary_.compiled = chosen.compiled;
  RunInfo info{&system_.info, options_, summary_.members, first_, 0, saved_times(options_), chosen.device, chosen.note};
  info.interpreted = chosen.interpreted;
  if (is_part_) info.ensemble_members = source_.members();
  if (begun) begun(info);
  for (Sink* sink : sinks_) sink->begin(info);
  const long at_once = block_capacity(system_.info, options_, summary_.members);
  if (!exponents_.requested()) {  // the exponents are computed on the host
    reduction_ = FrameReduction::offered(*runner_, sinks_, options_.fields, first_ + summary_.finished_members, at_once,
                                         summary_.members - summary_.finished_members);
  }
  find_block_checkpoint();
  const long capacity = runner_->reserve(reduction_ ? reduction_->at_once() : at_once);
  Block block = member_block(system_.info, options_, capacity);
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

void Engine::note_failures(const Block& block, Summary& summary) const {
  for (long i = 0; i < block.members; ++i) {
    const Status status = block.status[static_cast<std::size_t>(i)];
    FirstFailure& first = summary.first_failures[static_cast<std::size_t>(status)];
    const long member = block.first + i;
    if (!is_failure(status) || (first.member >= 0 && first.member <= member)) continue;
    first = {member, failure_reason_of(block, i)};
  }
}

std::string Engine::failure_reason_of(const Block& block, long member) const {
  const std::string begin = "member " + std::to_string(block.first + member) + ": ";
  for (const std::string& reason : {source_.first_failure(), runner_->first_failure()}) {
    if (reason.starts_with(begin)) return reason.substr(begin.size());
  }
  const std::string judged = judge_.reason(block, member);
  return judged.empty() ? failure_reason(system_, options_, block, member) : judged;
}

void Engine::finish() {
  const long unreached = summary_.members - summary_.finished_members;
  for (EventOutcome& event : summary_.events) event.was_finite = event.was_finite || summary_.finished_members == 0;
  summary_.by_status[static_cast<std::size_t>(Status::interrupted)] += unreached;
  summary_.seconds = seconds();
  for (Sink* sink : sinks_) sink->finish(summary_);
}

void Engine::keep_finished_members() {
  summary_.interrupted = true;
  finish();
}

void Engine::find_block_checkpoint() {
  if (options_.backend != Backend::cpu) return;
  for (Sink* sink : sinks_) {
    if (keeper_ == nullptr) keeper_ = dynamic_cast<BlockCheckpointSink*>(sink);
  }
  if (keeper_ == nullptr) return;
  if (const BlockCheckpoint* const place = keeper_->block_checkpoint())
    block_checkpoint_ = std::make_unique<BlockCheckpoint>(*place);
  if (!keeper_->keeps_block_checkpoints()) keeper_ = nullptr;
}

FieldSet Engine::watched_fields() const {
  FieldSet fields = {Field::multipliers};
  if (system_.info.has_energy) fields = fields | FieldSet{Field::energy};
  if (!system_.info.invariants.empty()) fields = fields | FieldSet{Field::invariants};
  return fields;
}

FieldSet Engine::observed_fields() const {
  FieldSet fields = options_.fields | FieldSet{Field::violation, Field::residual};
  if (conserved_.any()) fields = fields | conserved_.fields();
  if (judge_.any()) fields = fields | judge_.fields();
  if (exponents_.requested()) fields = fields | LyapunovExponents::observed;
  return fields;
}

void Engine::report() const {
  if (!progress_) return;
  const double total = static_cast<double>(options_.time.steps()) * static_cast<double>(summary_.members);
  progress_({grid_steps_, total, seconds()});
}

}  // namespace kalaba
