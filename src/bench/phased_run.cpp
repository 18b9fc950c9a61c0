#include "bench/phased_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "backend/backends.hpp"
#include "kalaba/check_options.hpp"
#include "kalaba/member_block.hpp"

namespace kalaba::bench {
namespace {

using Clock = std::chrono::steady_clock;

template <class Work>
double seconds_of(const Work& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

template <class T>
double bytes_of(const std::vector<T>& values) {
  return static_cast<double>(values.size() * sizeof(T));
}

/// Returns the subject with completed options; throws Error(bad_input) for options with which it does not run.
Subject completed(Subject subject) {
  check_options(*subject.system, subject.options);
  subject.options = completed_options(*subject.system, *subject.source, subject.options);
  return subject;
}

}  // namespace

PhasedRun::PhasedRun(const Subject& subject)
    : subject_(completed(subject)),
      fields_(subject.options.fields),
      block_(member_block(subject.system->info, subject_.options, 0)),
      capacity_(0) {
  ChosenBackend chosen = choose_backend(*subject_.system, subject_.options);
  runner_ = std::move(chosen.runner);
  timed_ = dynamic_cast<DeviceRunner*>(runner_.get());
  device_ = std::move(chosen.device);
  fields_.add(Field::violation);  // as every run does, for its summary
  fields_.add(Field::residual);
}

double PhasedRun::observe(double time) {
  return seconds_of([&] {
    runner_->observe(block_, time, fields_, observation_);
    runner_->wait(observation_);
  });
}

long PhasedRun::reserve(long members) {
  if (capacity_ >= members) return members;
  capacity_ = std::min(members, runner_->reserve(members));
  block_ = member_block(subject_.system->info, subject_.options, capacity_);
  holds_start_ = false;
  return capacity_;
}

void PhasedRun::sample(long members, Timing& spent) {
  if (!holds_start_ || block_.members != members) {
    block_.assign(0, members);
    sampling_ = seconds_of([&] { fill_members(*subject_.system, *subject_.source, block_); });
  }
  spent.sampling = sampling_;
}

void PhasedRun::advance(long steps, Timing& spent) {
  const TimeGrid& time = subject_.options.time;
  if (timed_ != nullptr) {
    spent.advance = timed_->timed_advance(block_, time, 0, steps);
    spent.observe += observe(time.at(steps));
    ++spent.observations;
    return;
  }
  const long stride = time.save_every > 0 ? time.save_every : steps;
  for (long first = 0; first < steps; first += stride) {
    const long count = std::min(stride, steps - first);
    spent.advance += seconds_of([&] {
      runner_->advance(block_, time, first, count);
      runner_->synchronize(block_);
    });
    spent.observe += observe(time.at(first + count));
    ++spent.observations;
  }
}

Timing PhasedRun::run(long members, long steps) {
  const TimeGrid& time = subject_.options.time;
  if (reserve(members) < members) {
    throw Error(ExitCode::bad_input, fmt::format("{}: {} does not hold {} members at once; take fewer (--members)",
                                                 subject_.system->info.name, device_, members));
  }
  Timing spent;
  sample(members, spent);
  spent.start = seconds_of([&] {
    runner_->start(block_, time.start, subject_.options.project_start);
    timed_ != nullptr ? timed_->finish(block_) : runner_->synchronize(block_);
  });
  spent.observe = observe(time.start);
  spent.observations = 1;
  advance(steps, spent);
  holds_start_ = is_behind_ = timed_ != nullptr;
  return spent;
}

/// Brings the state to the host where the host does not have it.
void PhasedRun::fetch() {
  if (!is_behind_) return;
  runner_->synchronize(block_);
  holds_start_ = is_behind_ = false;
}

const Block& PhasedRun::block() {
  fetch();
  return block_;
}

std::string PhasedRun::failure() {
  // A member that has ended is seen in the observation; its time must be fetched.
  if (std::ranges::any_of(observation_.status, [](Status status) { return status != Status::ok; })) fetch();
  long failures = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(block_.members); ++i) {
    if (!is_failure(block_.status[i])) continue;
    if (failures == 0 || block_.failure_time[i] < block_.failure_time[first]) first = i;
    ++failures;
  }
  if (failures == 0) return "";
  return fmt::format("{} of {} members failed, the first by {} at {:g} s", failures, block_.members,
                     status_name(block_.status[first]), block_.failure_time[first]);
}

double PhasedRun::member_steps(long steps) const {
  const TimeGrid& time = subject_.options.time;
  double sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(block_.members); ++i) {
    const double until = std::ceil((block_.failure_time[i] - time.start) / time.dt);
    sum += std::fmin(static_cast<double>(steps), until);  // NaN where nothing ended it
  }
  return sum;
}

double PhasedRun::bytes_per_member() const {
  double bytes = bytes_of(block_.parameters) + bytes_of(block_.q) + bytes_of(block_.w) + bytes_of(block_.status) +
                 bytes_of(block_.failure_time) + bytes_of(block_.backend_state) + bytes_of(block_.events) +
                 bytes_of(observation_.status);
  for (const BlockCounter& counter : block_counters) bytes += bytes_of(block_.*counter.values);
  for (const auto& values : observation_.values) bytes += bytes_of(values);
  return bytes / static_cast<double>(block_.stride);
}

}  // namespace kalaba::bench
