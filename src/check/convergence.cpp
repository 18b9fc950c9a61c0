#include "check/convergence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>

#include "kalaba/ensemble.hpp"
#include "kalaba/error.hpp"
#include "kalaba/option_table.hpp"
#include "text/nan.hpp"

namespace kalaba::check {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double single_eps = std::numeric_limits<float>::epsilon();
constexpr double tolerance_factor = 10;
constexpr double safety = 0.9;
constexpr double farthest = 4;  // steps coarser than the coarsest level are not tested

bool is_adaptive(const Options& options) { return adapts(options.method.integrator); }

/// Returns the time until which each member can be compared, s: it is ok at every level until then.
std::vector<double> comparable_until(const std::vector<Result>& results, Convergence& all) {
  std::vector<double> until(results.front().status().size(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < until.size(); ++i) {
    bool same = true;
    bool failed = false;
    for (const Result& result : results) {
      until[i] = std::fmin(until[i], result.failure_time()[i]);
      same = same && result.status()[i] == results.front().status()[i];
      failed = failed || is_failure(result.status()[i]);
    }
    all.changed += !same;
    all.compared += !failed;
    if (failed) until[i] = -std::numeric_limits<double>::infinity();
  }
  return until;
}

/// Distance of two levels in one quantity.
struct Distance {
  double worst = 0;
  double square = 0;
  double size = 0;  ///< of the second one
  double count = 0;

  void add(double one, double other) {
    const double difference = std::abs(one - other);
    if (!std::isfinite(difference)) return;
    worst = std::max(worst, difference);
    square += difference * difference;
    size = std::max(size, std::abs(other));
    count += 1;
  }
  double mean() const { return count > 0 ? std::sqrt(square / count) : 0; }
};

using Distances = std::function<Distance(std::size_t level, std::size_t other)>;

Distances distances_of_column(const std::vector<Result>& results, const std::vector<double>& until,
                              const std::string& column) {
  return [&results, &until, column](std::size_t level, std::size_t other) {
    Distance distance;
    for (std::size_t frame = 0; frame < results[level].times().size(); ++frame) {
      const auto ones = results[level].values(column, frame);
      const auto others = results[other].values(column, frame);
      for (std::size_t i = 0; i < ones.size(); ++i) {
        if (results[level].times()[frame] < until[i % until.size()]) distance.add(ones[i], others[i]);
      }
    }
    return distance;
  };
}

/// Distances of the members for which the event happened at both levels.
Distances distances_of_event(const std::vector<Result>& results, const std::string& event) {
  return [&results, event](std::size_t level, std::size_t other) {
    Distance distance;
    const auto ones = results[level].event_time(event);
    const auto others = results[other].event_time(event);
    for (std::size_t i = 0; i < ones.size(); ++i) distance.add(ones[i], others[i]);
    return distance;
  };
}

/// With successive differences d1, d2 of levels a factor r apart, the order p is log(d1 / d2) / log r and the finest
/// level's error is d2 / (r^p - 1). The error of each coarser level is r^p times that of the next finer one. `scale`:
/// size of the quantities with the same unit, to which rounding is relative.
void estimate(const Distances& between, const Convergence& all, const Options& options, double scale,
              QuantityConvergence& quantity) {
  const std::size_t last = all.steps.size() - 1;
  const double factor = all.steps[0] / all.steps[1];
  const auto d1 = between(last - 2, last - 1);
  const auto d2 = between(last - 1, last);
  const double unit = options.precision == Precision::double_precision ? eps : single_eps;
  const double steps = static_cast<double>(all.adaptive ? 1000 : options.time.steps());
  const double rounding = 10 * unit * std::sqrt(std::max(steps, 1.0));  // as a share
  quantity.rounding = rounding * std::max(scale, 1e-300);
  const bool is_resolved = d1.mean() > 0 && d2.mean() > 0 && d1.worst > quantity.rounding;
  quantity.order = is_resolved ? std::log(d1.mean() / d2.mean()) / std::log(factor) : nan;
  const bool converges = quantity.order > 0.2;
  const double remaining = converges ? 1 / (std::pow(factor, quantity.order) - 1) : 1;
  for (std::size_t level = 0; level <= last; ++level) {
    const auto off = level == last ? d2 : between(level, last);
    const double beyond = level == last ? remaining : 1 + remaining * d2.mean() / std::max(off.mean(), 1e-300);
    quantity.worst.push_back(off.worst * beyond);
    quantity.typical.push_back(off.mean() * beyond);
  }
  const double requested = all.requested * quantity.size;
  const double coarsest = all.steps.front();
  quantity.is_hidden =
      quantity.size > 0 && (all.requested < rounding || (!quantity.is_rounding() && requested < quantity.rounding));
  if (quantity.is_hidden) {
    quantity.sufficient = nan;
  } else if (converges) {
    const double extrapolated = safety * coarsest * std::pow(requested / quantity.worst.front(), 1 / quantity.order);
    quantity.sufficient = std::min(extrapolated, farthest * coarsest);
  } else {
    quantity.sufficient = quantity.worst.front() <= std::max(quantity.rounding, requested) ? coarsest : nan;
  }
}

bool is_diagnostic(Field field) {
  return field == Field::residual || field == Field::violation || field == Field::rank;
}

/// NaN if the value of one quantity is NaN: then no step is known to suffice for all.
double sufficient_for_all(const std::vector<QuantityConvergence>& quantities) {
  double least = quantities.empty() ? nan : std::numeric_limits<double>::infinity();
  for (const QuantityConvergence& each : quantities) {
    least = std::isnan(each.sufficient) || std::isnan(least) ? nan : std::min(least, each.sufficient);
  }
  return least;
}

/// Sets the least tolerance; throws if the tolerance of a level is below it.
void require_tolerances(const ConvergencePlan& plan, Convergence& all) {
  all.least = least_relative_tolerance(plan.options.precision);
  const double coarsest = plan.options.method.relative_tolerance;
  const double finest = finer(plan.options, plan.levels - 1).method.relative_tolerance;
  if (finest >= all.least) return;
  throw Error(
      ExitCode::bad_input,
      fmt::format("{}: relative_tolerance: expected about {:.3g} or more for {} levels, each a tenth of the one "
                  "before and the last no less than {:.3g}; found {:g}",
                  plan.system->info.name, all.least * coarsest / finest, plan.levels, all.least, coarsest));
}

/// Lists every saved quantity and event time with its size; returns the distances between levels in each.
std::vector<Distances> list_quantities(const ConvergencePlan& plan, const std::vector<Result>& results,
                                       const std::vector<double>& until, Convergence& all) {
  std::vector<Distances> distances;
  const auto add = [&](const std::string& name, const std::string& unit, const Distances& between) {
    QuantityConvergence quantity;
    quantity.name = name;
    quantity.unit = unit;
    quantity.size = between(results.size() - 2, results.size() - 1).size;
    distances.push_back(between);
    all.quantities.push_back(std::move(quantity));
  };
  for (const Field field : all_fields) {
    if (!plan.options.fields.has(field) || is_diagnostic(field) || all.compared == 0) continue;
    const FieldLayout layout = field_layout(plan.system->info, field);
    for (std::size_t i = 0; i < layout.components.size(); ++i) {
      add(layout.components[i], layout.units[i], distances_of_column(results, until, layout.components[i]));
    }
  }
  for (const Event& event : plan.options.events) {
    add("time of " + event.name, "s", distances_of_event(results, event.name));
  }
  return distances;
}

}  // namespace

Options finer(const Options& options, int level) {
  Options result = options;
  if (is_adaptive(options)) {
    result.method.relative_tolerance /= std::pow(tolerance_factor, level);
    result.method.absolute_tolerance /= std::pow(tolerance_factor, level);
    // The saved times are unchanged; dt is the first trial step, and save_every counts it.
    return result;
  }
  result.time.dt = std::ldexp(options.time.dt, -level);
  result.time.save_every <<= level;
  return result;
}

Convergence converge(const ConvergencePlan& plan, const std::function<void(int level)>& report) {
  const auto start = std::chrono::steady_clock::now();
  const Ensemble sample = evenly_chosen(*plan.system, *plan.source, plan.members);
  Convergence all;
  all.adaptive = is_adaptive(plan.options);
  all.requested = plan.requested;
  all.members = sample.members();
  if (all.adaptive) require_tolerances(plan, all);
  std::vector<Result> results;
  for (int level = 0; level < plan.levels; ++level) {
    if (report) report(level);
    const Options options = finer(plan.options, level);
    all.steps.push_back(all.adaptive ? options.method.relative_tolerance : options.time.dt);
    results.push_back(run(sample, options));
  }
  const std::vector<double> until = comparable_until(results, all);
  const std::vector<Distances> distances = list_quantities(plan, results, until, all);
  std::map<std::string, double> scales;  // by unit
  for (const QuantityConvergence& each : all.quantities) {
    scales[each.unit] = std::max(scales[each.unit], each.size);
  }
  for (std::size_t i = 0; i < distances.size(); ++i) {
    QuantityConvergence& quantity = all.quantities[i];
    estimate(distances[i], all, plan.options, scales[quantity.unit], quantity);
  }
  all.sufficient = sufficient_for_all(all.quantities);
  all.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return all;
}

}  // namespace kalaba::check
