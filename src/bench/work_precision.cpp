#include "bench/work_precision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "bench/phased_run.hpp"
#include "kalaba/swarm_limits.hpp"
#include "text/nan.hpp"

namespace kalaba::bench {
namespace {

constexpr double tightest = 2.5e-14;  // tolerance that a run accepts
constexpr double coarsest = 1e-3;
constexpr double finest = 1e-13;
constexpr long coarsest_step = 32;  // of the scenario's
constexpr int most_halvings = 16;
constexpr double most_distance = 1e-8;  // of two solutions that are to be one
constexpr long least_timings = 3;

std::vector<std::vector<double>> numbers_of(const Block& block) {
  std::vector<std::vector<double>> rows;
  const auto take = [&](const std::vector<double>& numbers, int count) {
    for (int i = 0; i < count; ++i) {
      const auto row = numbers.begin() + i * block.stride;
      rows.emplace_back(row, row + block.members);
    }
  };
  take(block.q, block.coordinate_count);
  take(block.w, block.rate_count);
  return rows;
}

double mean(const std::vector<double>& numbers, long count) {
  double sum = 0;
  for (long i = 0; i < count; ++i) sum += numbers[static_cast<std::size_t>(i)];
  return sum / static_cast<double>(count);
}

/// The runs of one subject.
class Runs {
 public:
  explicit Runs(const Subject& subject) : subject_(subject), longest_(10 * subject.seconds) {
    Options& options = subject_.options;
    options.threads = 1;
    options.fields = {};
    options.save_at = {};
    // Events that change no member would add time without an effect on the errors.
    std::erase_if(options.events, [](const Event& each) { return !may_change({&each, 1}, {}); });
    options.statistics = {};
    if (subject_.members == 0) subject_.members = subject_.source->members();
  }

  const Subject& subject() const { return subject_; }
  long scenario_steps() const { return subject_.options.time.steps(); }
  const std::string& device() const { return device_; }

  /// So many equal steps.
  Options equal(long steps) const {
    Options options = subject_.options;
    options.method.integrator = Integrator::rk4;
    options.time.dt = (options.time.end - options.time.start) / static_cast<double>(steps);
    options.time.save_every = 0;
    return options;
  }
  /// The absolute tolerance goes with the relative one as the options have them.
  Options adaptive(Integrator integrator, double tolerance) const {
    Options options = subject_.options;
    const double absolute = options.method.absolute_tolerance / options.method.relative_tolerance;
    options.method.integrator = integrator;
    options.method.relative_tolerance = tolerance;
    options.method.absolute_tolerance = tolerance * absolute;
    options.time.save_every = 0;
    return options;
  }

  /// One run: its figures but for the error, and its end in `end`. Repeated for the clock where it is `timed`.
  WorkPoint run(const Options& options, bool timed, Block& end) {
    Subject own = subject_;
    own.options = options;
    PhasedRun run(own);
    device_ = run.device();
    WorkPoint point;
    const bool adapts_steps = adapts(options.method.integrator);
    point.setting = adapts_steps ? options.method.relative_tolerance : options.time.dt;
    const auto once = [&] {
      const Timing spent = run.run(own.members, options.time.steps());
      return spent.start + spent.advance;
    };
    const double first = once();
    point.failure = run.failure();
    end = run.block();
    point.steps = adapts_steps ? mean(end.accepted, own.members) + mean(end.rejected, own.members)
                               : static_cast<double>(options.time.steps());
    std::vector<double> spent;
    double sum = 0;
    while (timed && point.failure.empty() && (std::ssize(spent) < least_timings || sum < subject_.seconds / 50) &&
           sum < longest_) {
      spent.push_back(once());
      sum += spent.back();
    }
    point.seconds = (spent.empty() ? first : median(std::move(spent))) / static_cast<double>(own.members);
    return point;
  }
  /// True if another run, this many times as long, takes too long.
  bool too_long(const WorkPoint& point, double times) const {
    return times * point.seconds * static_cast<double>(subject_.members) > longest_;
  }

 private:
  Subject subject_;
  double longest_;  // run, s
  std::string device_;
};

void refuse(const Runs& runs, const std::string& why) {
  throw Error(ExitCode::members_failed,
              fmt::format("{}: {}; no errors are given", label(runs.subject().system->info), why));
}

/// Finds the solution, and how far it can be trusted.
void judge(Runs& runs, WorkPrecision& result) {
  Block end(0, 0, 0, 0, 1);
  const WorkPoint solution = runs.run(runs.adaptive(Integrator::dop853, tightest), false, end);
  if (!solution.failure.empty()) refuse(runs, "dop853 at a tolerance of 2.5e-14: " + solution.failure);
  result.errors = EndErrors(end, runs.subject().system->info);
  result.trusted = std::numeric_limits<double>::infinity();
  long confirmed = 0;
  long steps = 2 * runs.scenario_steps();
  for (int halving = 0; halving < most_halvings; ++halving, steps *= 2) {
    const WorkPoint point = runs.run(runs.equal(steps), false, end);
    const double distance = point.failure.empty() ? result.errors.of(end) : nan;
    const bool is_nearer = distance < result.trusted;
    const bool still_converges = !(distance > result.trusted / 4);
    if (is_nearer) {
      result.trusted = distance;
      confirmed = steps;
    }
    if ((point.failure.empty() && !still_converges) || runs.too_long(point, 2)) break;
  }
  if (!(result.trusted <= most_distance)) {
    refuse(runs,
           fmt::format("dop853 at a tolerance of 2.5e-14 and RK4 with ever smaller steps end {:.2g} of a number's "
                       "size apart, more than {:g}",
                       result.trusted, most_distance));
  }
  result.judges = fmt::format("dop853 at {:g} and rk4 with {} steps", tightest, confirmed);
}

/// As long as runs succeed, differ from the solution and take no longer than they may.
void add_points(Runs& runs, const std::vector<Options>& settings, const WorkPrecision& result, WorkCurve& curve) {
  Block end(0, 0, 0, 0, 1);
  for (const Options& each : settings) {
    WorkPoint point = runs.run(each, true, end);
    point.error = point.failure.empty() ? result.errors.of(end) : nan;
    curve.points.push_back(point);
    if (point.failure.empty() && (!(point.error > 2 * result.trusted) || runs.too_long(point, 2 * least_timings)))
      break;
  }
}

std::vector<Options> settings_of(const Runs& runs, Integrator integrator) {
  std::vector<Options> all;
  if (adapts(integrator)) {
    for (double tolerance = coarsest; tolerance > 0.9 * finest; tolerance /= 10) {
      all.push_back(runs.adaptive(integrator, tolerance));
    }
    return all;
  }
  const long whole = runs.scenario_steps();
  long steps = std::max(whole / coarsest_step, 1L);
  for (int i = 0; i < most_halvings; ++i, steps *= 2) all.push_back(runs.equal(steps));
  return all;
}

}  // namespace

EndErrors::EndErrors(const Block& solution, const SystemInfo& info) : rows_(numbers_of(solution)) {
  std::map<std::string, double> largest;  // by unit
  std::vector<std::string> units;
  for (const Variable& each : info.coordinates) units.push_back(each.unit);
  for (const Variable& each : info.rates) units.push_back(each.unit);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (const double x : rows_[i]) largest[units[i]] = std::max(largest[units[i]], std::abs(x));
  }
  for (const std::string& unit : units) sizes_.push_back(largest[unit] > 0 ? largest[unit] : 1);
}

double EndErrors::of(const Block& block) const {
  const std::vector<std::vector<double>> rows = numbers_of(block);
  double worst = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < rows[i].size(); ++k) {
      const double error = std::abs(rows[i][k] - rows_[i][k]) / sizes_[i];
      if (!(error <= worst)) worst = error;  // NaN stays
      if (std::isnan(worst)) return worst;
    }
  }
  return worst;
}

WorkPrecision work_precision(const Subject& subject, const std::function<void(const std::string&)>& report) {
  Runs runs(subject);
  const SystemInfo& info = subject.system->info;
  if (const char* why = swarm_lacks(info, NotOfSwarms::adaptive_steps)) refuse(runs, why);
  if (subject.options.precision != Precision::double_precision) refuse(runs, "precision is single");
  WorkPrecision result;
  result.system = label(info);
  result.options = runs.subject().options;
  result.members = runs.subject().members;
  if (report) report("the solution");
  judge(runs, result);
  for (const IntegratorFacts& each : integrators) {
    if (report) report(each.name);
    WorkCurve curve = {each.name, each.adapts(), {}};
    try {
      add_points(runs, settings_of(runs, static_cast<Integrator>(&each - integrators)), result, curve);
    } catch (const Error& error) {  // the model has no series or no known formulas, or the machine no compiler
      if (!each.uses_series && !each.uses_slopes) throw;
      if (report) report(error.what());
      continue;
    }
    result.curves.push_back(std::move(curve));
  }
  result.device = runs.device();
  return result;
}

double seconds_for(const WorkPrecision& all, const WorkCurve& curve, double error) {
  const WorkPoint* before = nullptr;
  double least = nan;
  for (const WorkPoint& each : curve.points) {
    if (!all.is_resolved(each)) continue;
    if (before != nullptr && before->error >= error && error >= each.error) {
      const double part = std::log(before->error / error) / std::log(before->error / each.error);
      const double seconds = before->seconds * std::pow(each.seconds / before->seconds, part);
      least = std::fmin(least, seconds);
    }
    before = &each;
  }
  return least;
}

}  // namespace kalaba::bench
