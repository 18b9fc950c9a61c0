#include "bench/measure.hpp"

#include <algorithm>
#include <cmath>

#include "bench/operations.hpp"
#include "bench/phased_run.hpp"
#include "kalaba/backend/parallel.hpp"

namespace kalaba::bench {
namespace {

constexpr long least_repeats = 5;
constexpr long most_repeats = 99;
constexpr long cycle = 16;  // steps from one fresh start of the pseudo-inverse to the next

/// How much is measured at once.
struct Extent {
  long members = 0;
  long steps = 0;
};

/// Fewer members would leave threads or lanes idle; more would change nothing.
struct Crowd {
  long least;
  long most;
};
Crowd crowd_of(const Subject& subject) {
  const Options& options = subject.options;
  const auto swarms = [&](long least, long most) {  // by their agents, which fill the backend equally
    const long agents = subject.system->info.copies();
    return Crowd{std::max(least / agents, 1L), std::max(most / agents, 1L)};
  };
  if (options.backend == Backend::cuda) return swarms(subject.system->info.agents > 0 ? 1L << 16 : 1L << 20, 1L << 20);
  const long threads = thread_count(options.threads);
  return options.backend == Backend::reference ? Crowd{8 * threads, 256 * threads}
                                               : swarms(64 * threads, 4096 * threads);
}

/// Whole blocks of the layout, where there is more than one.
long rounded(long members) { return members < Block::alignment ? members : members - members % Block::alignment; }

/// Seconds per member and step, from runs of increasing length until one is long enough. On a device these are the
/// seconds in which the device advances; the host's sampling and reading of members do not count.
double probe(Extent extent, long whole, double long_enough, PhasedRun& run) {
  for (extent.steps = 1;; extent.steps = std::min(whole, 2 * extent.steps)) {
    const Timing timing = run.run(extent.members, extent.steps);
    const double spent = run.timed() ? timing.advance : timing.total();
    if (extent.steps < whole && spent < long_enough && run.failure().empty()) continue;
    return spent / static_cast<double>(extent.members * extent.steps);
  }
}

/// Takes some members through the whole run, where that is not too long, to see whether they come through.
void scout(const Subject& subject, double each, long members, PhasedRun& run) {
  const long whole = subject.options.time.steps();
  if (each * static_cast<double>(members) * static_cast<double>(whole) <= subject.seconds) run.run(members, whole);
}

/// Number of members that uses the backend fully, at most those of the run, and of steps that fit a repetition.
Extent fitting_extent(const Subject& subject, PhasedRun& run) {
  const long whole = subject.options.time.steps();
  const long there = subject.source->members();
  const Crowd crowd = crowd_of(subject);
  const double repetition = subject.seconds / (least_repeats + 1);
  Extent extent = {subject.members > 0 ? subject.members : std::min(crowd.least, there), whole};
  double each = 0;
  for (int pass = 0; pass < 2; ++pass) {  // the second one with the members of the first
    if (subject.members == 0) extent.members = run.reserve(extent.members);  // a device may hold fewer
    each = probe(extent, whole, repetition / 4, run);
    const auto member_steps = static_cast<long>(std::min(repetition / std::max(each, 1e-18), 1e15));
    if (subject.members == 0) {
      const long steps = std::min(whole, 4 * cycle);
      extent.members = std::min(there, rounded(std::clamp(member_steps / steps, crowd.least, crowd.most)));
      extent.members = run.reserve(extent.members);
    }
    const long fitting = member_steps / extent.members;
    extent.steps = fitting < whole ? std::min(whole, std::max(fitting - fitting % cycle, cycle)) : whole;
  }
  if (extent.steps < whole && run.failure().empty()) scout(subject, each, std::min(extent.members, crowd.least), run);
  return extent;
}

std::vector<Timing> repeat(const Subject& subject, const Extent& extent, PhasedRun& run) {
  std::vector<Timing> timings;
  if (!run.failure().empty()) return timings;                    // of the scouts
  double spent = run.run(extent.members, extent.steps).total();  // the warm-up
  while (run.failure().empty() && std::ssize(timings) < most_repeats &&
         (std::ssize(timings) < least_repeats || spent < subject.seconds)) {
    timings.push_back(run.run(extent.members, extent.steps));
    spent += timings.back().total();
  }
  return timings;
}

double median_of(const std::vector<Timing>& timings, double Timing::*phase) {
  std::vector<double> values;
  for (const Timing& each : timings) values.push_back(each.*phase);
  return median(std::move(values));
}

void fill_figures(const Subject& subject, const std::vector<Timing>& timings, double member_steps,
                  Measurement& result) {
  const auto members = static_cast<double>(result.members);
  const double advance = median_of(timings, &Timing::advance);
  const auto saved = static_cast<double>(saved_times(subject.options).size());
  const auto observed = static_cast<double>(timings.front().observations);
  result.repeats = std::ssize(timings);
  result.steps_per_second = member_steps / advance;
  result.phases.sampling = median_of(timings, &Timing::sampling) / members;
  result.phases.start = median_of(timings, &Timing::start) / members;
  result.phases.advance =
      advance / members * static_cast<double>(result.whole_steps) / static_cast<double>(result.steps);
  result.phases.observe = median_of(timings, &Timing::observe) / members * saved / observed;
  result.members_per_second = 1 / result.phases.total();
}

/// Pairs per second if every pair of agents is summed: once an evaluation; a step has four, and one for a projection.
void fill_pairs(const Subject& subject, Measurement& result) {
  const Options& options = subject.options;
  const auto agents = static_cast<double>(subject.system->info.agents);
  if (agents == 0 || (options.backend != Backend::cuda && options.pair_sum != PairSum::all_pairs)) return;
  const double evaluations = options.method.stabilization.kind == Stabilization::Kind::projection ? 5 : 4;
  result.pairs_per_second = result.steps_per_second * evaluations * agents * agents;
}

/// Peak of the threads and operations of a step; known for the cpu backend only.
void fill_peak(const Subject& subject, Measurement& result) {
  if (subject.options.backend != Backend::cpu) return;
  result.peak_flops = peak_flops(subject.options.precision, subject.options.threads);
  const auto operations = operations_of_step(*subject.system, subject.options);
  if (operations) result.step_flops = operations->flops();
}

}  // namespace

std::optional<double> Measurement::peak_share() const {
  if (!step_flops || peak_flops <= 0) return std::nullopt;
  return *step_flops * steps_per_second / peak_flops;
}

Measurement measure(const Subject& subject) {
  PhasedRun run(subject);
  const Extent extent = fitting_extent(subject, run);
  Measurement result;
  result.system = label(subject.system->info);
  result.options = subject.options;
  result.device = run.device();
  result.members = extent.members;
  result.steps = extent.steps;
  result.whole_steps = subject.options.time.steps();
  const std::vector<Timing> timings = repeat(subject, extent, run);
  result.failure = run.failure();
  if (!result.failure.empty()) return result;
  fill_figures(subject, timings, run.member_steps(extent.steps), result);
  result.bytes_per_member = run.bytes_per_member();
  fill_pairs(subject, result);
  fill_peak(subject, result);
  return result;
}

double median(std::vector<double> values) {
  const std::size_t middle = values.size() / 2;
  std::ranges::sort(values);
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string label(const SystemInfo& info) {
  std::string text = info.name;
  for (const auto& [parameter, value] : info.structure) text += " " + parameter + "=" + std::to_string(value);
  return text;
}

}  // namespace kalaba::bench
