#include "bench/phased_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "backend/backends.hpp"

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

Block block_for(const SystemInfo& info, long members, int events) {
  const auto count = [&](const std::vector<Variable>& of_one) {
    return static_cast<int>(info.copies() * static_cast<long>(of_one.size()));
  };
  return {static_cast<int>(info.parameters.size()),
          count(info.coordinates),
          count(info.rates),
          members,
          info.agents > 0 ? 1 : Block::alignment,
          events};
}

}  // namespace

PhasedRun::PhasedRun(const Subject& subject)
    : subject_(&subject), fields_(subject.options.fields), block_(block_for(subject.system->info, 0, 0)), capacity_(0) {
  ChosenBackend chosen = choose_backend(*subject.system, subject.options);
  runner_ = std::move(chosen.runner);
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

Timing PhasedRun::run(long members, long steps) {
  const SystemInfo& info = subject_->system->info;
  const TimeGrid& time = subject_->options.time;
  if (capacity_ < members) {
    capacity_ = members;
    block_ = block_for(info, capacity_, subject_->options.watch.count);
    if (runner_->reserve(capacity_) < members) {
      throw Error(ExitCode::bad_input, fmt::format("{}: {} does not hold {} members at once; take fewer (--members)",
                                                   info.name, device_, members));
    }
  }
  block_.assign(0, members);
  Timing spent;
  spent.sampling = seconds_of([&] { subject_->source->fill(block_); });
  spent.start = seconds_of([&] {
    runner_->start(block_, time.start, subject_->options.project_start);
    runner_->synchronize(block_);
  });
  spent.observe = observe(time.start);
  spent.observations = 1;
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
  return spent;
}

std::string PhasedRun::failure() const {
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
  const TimeGrid& time = subject_->options.time;
  double sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(block_.members); ++i) {
    const double until = std::ceil((block_.failure_time[i] - time.start) / time.dt);
    sum += std::fmin(static_cast<double>(steps), until);  // NaN where nothing ended it
  }
  return sum;
}

double PhasedRun::bytes_per_member() const {
  double bytes = bytes_of(block_.parameters) + bytes_of(block_.q) + bytes_of(block_.w) + bytes_of(block_.status) +
                 bytes_of(block_.failure_time) + bytes_of(block_.rank_changes) + bytes_of(block_.backend_state) +
                 bytes_of(block_.events) + bytes_of(observation_.status);
  for (const auto& values : observation_.values) bytes += bytes_of(values);
  return bytes / static_cast<double>(block_.stride);
}

}  // namespace kalaba::bench
