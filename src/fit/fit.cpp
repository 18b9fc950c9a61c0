#include "fit/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "fit/members.hpp"
#include "fit/trace.hpp"
#include "scenario/sampling/random.hpp"
#include "scenario/sampling/unit_design.hpp"

namespace kalaba::fit {
namespace {

Eigen::VectorXd vector_of(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// 2-norm of the measurements, divided by sigma.
double norm_of(const Measurements& data) {
  const std::vector<double> weights = weights_of(data);
  double squares = 0;
  for (const Reading& each : data.readings) squares += std::pow(each.value * weights[each.column], 2);
  return std::sqrt(squares);
}

/// Searches from all starts, computed together.
class Search {
 public:
  explicit Search(const Problem& problem)
      : problem_(problem), members_(problem.system, *problem.source, problem.free), firsts_(first_values(problem)) {
    const auto count = static_cast<Eigen::Index>(problem.free.size());
    Eigen::VectorXd low(count);
    Eigen::VectorXd high(count);
    Eigen::VectorXd least(count);
    const double numbers = norm_of(problem.data);
    for (Eigen::Index j = 0; j < count; ++j) {
      const FreeVariable& each = problem.free[static_cast<std::size_t>(j)];
      low[j] = each.low;
      high[j] = each.high;
      const double column = nothing * numbers / each.size(each.first);
      least[j] = column * column;
    }
    for (const std::vector<double>& first : firsts_) {
      searches_.emplace_back(vector_of(first), low, high, least, problem.most_iterations);
    }
  }

  void go(Fit& result, const std::function<void(const FitProgress&)>& progress, const std::stop_token& stop) {
    std::vector<std::size_t> active(searches_.size());
    for (std::size_t i = 0; i < active.size(); ++i) active[i] = i;
    for (int iteration = 0; !active.empty(); ++iteration) {
      if (progress) progress({iteration, static_cast<long>(active.size()), least_cost()});
      evaluate(active, result, stop);
      std::erase_if(active, [&](std::size_t i) { return searches_[i].outcome() != Outcome::searching; });
    }
  }

  std::vector<Start> starts() const {
    std::vector<Start> starts;
    for (std::size_t i = 0; i < searches_.size(); ++i) {
      const LevenbergMarquardt& search = searches_[i];
      const Eigen::VectorXd& values = search.values();
      starts.push_back({firsts_[i],
                        {values.data(), values.data() + values.size()},
                        search.cost(),
                        search.iterations(),
                        search.outcome(),
                        search.status(),
                        search.overflows()});
    }
    return starts;
  }

 private:
  /// Runs one ensemble in which every search's trial is a member.
  void evaluate(const std::vector<std::size_t>& active, Fit& result, const std::stop_token& stop) {
    std::vector<std::vector<double>> trials;
    for (const std::size_t i : active) {
      const Eigen::VectorXd& trial = searches_[i].trial();
      trials.emplace_back(trial.data(), trial.data() + trial.size());
    }
    members_.set(std::move(trials));
    NormalSums sums(problem_);
    Sink* const sinks[] = {&sums};
    const Summary summary = run(problem_.system, members_, problem_.options, sinks, {}, stop);
    if (summary.interrupted) throw Error(ExitCode::interrupted, "interrupted, nothing was fitted");
    ++result.runs;
    result.member_steps += summary.member_steps;
    if (result.device.empty()) result.device = summary.device;
    for (std::size_t k = 0; k < active.size(); ++k) searches_[active[k]].take(sums.of(k));
  }

  double least_cost() const {
    double least = std::numeric_limits<double>::infinity();
    for (const LevenbergMarquardt& each : searches_) least = std::min(least, each.cost());
    return least;
  }

  const Problem& problem_;
  FitMembers members_;
  std::vector<std::vector<double>> firsts_;
  std::vector<LevenbergMarquardt> searches_;
};

/// Orders converged searches before others, and then by cost.
bool is_better(const Start& one, const Start& other) {
  const bool converged = one.outcome == Outcome::converged;
  if (converged != (other.outcome == Outcome::converged)) return converged;
  return one.cost < other.cost;
}

/// Largest distance between the ends of two searches of one minimum: a tenth of a standard error, or rounding error.
std::vector<double> distances(const Problem& problem, const Estimate& estimate) {
  std::vector<double> distances;
  for (std::size_t j = 0; j < problem.free.size(); ++j) {
    const double rounding = 1e-6 * problem.free[j].size(estimate.values[j]);
    distances.push_back(std::fmax(0.1 * estimate.errors[j], rounding));
  }
  return distances;
}

/// If the data do not determine a variable, equal costs identify equal minima.
bool is_same(const Problem& problem, const Estimate& estimate, const std::vector<double>& near, const Start& one,
             const Start& other) {
  if (!estimate.directions.empty()) return std::abs(one.cost - other.cost) <= 1e-6 * (one.cost + other.cost);
  for (std::size_t j = 0; j < problem.free.size(); ++j) {
    if (!(std::abs(one.values[j] - other.values[j]) <= near[j])) return false;
  }
  return true;
}

std::vector<Minimum> minima_of(const Problem& problem, const Fit& fit) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < fit.starts.size(); ++i) {
    if (fit.starts[i].outcome == Outcome::converged) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return fit.starts[i].cost; });
  const std::vector<double> near = distances(problem, fit.estimate);
  std::vector<Minimum> minima;
  for (const std::size_t i : order) {
    const auto found = std::ranges::find_if(minima, [&](const Minimum& each) {
      return is_same(problem, fit.estimate, near, fit.starts[each.best], fit.starts[i]);
    });
    if (found == minima.end()) {
      minima.push_back({i, 1});
    } else {
      ++found->starts;
    }
  }
  return minima;
}

}  // namespace

std::vector<std::vector<double>> first_values(const Problem& problem) {
  std::vector<std::vector<double>> values(1);
  for (const FreeVariable& each : problem.free) values.front().push_back(each.first);
  const UnitCube cube = {SamplingDesign::latin_hypercube, problem.seed, problem.starts - 1};
  for (long start = 0; start < cube.members; ++start) {
    values.emplace_back();
    for (std::size_t j = 0; j < problem.free.size(); ++j) {
      const FreeVariable& each = problem.free[j];
      const double u = cube.at(start, stream_of(each.name), static_cast<int>(j));
      values.back().push_back(each.low + u * (each.high - each.low));
    }
  }
  return values;
}

long Fit::count(Outcome outcome) const { return std::ranges::count(starts, outcome, &Start::outcome); }

Fit fit(const Problem& problem, const std::function<void(const FitProgress&)>& progress, std::stop_token stop) {
  const auto begin = std::chrono::steady_clock::now();
  Fit result;
  result.notes = problem.data.notes;
  Search search(problem);
  search.go(result, progress, stop);
  result.starts = search.starts();
  for (std::size_t i = 1; i < result.starts.size(); ++i) {
    if (is_better(result.starts[i], result.starts[result.best])) result.best = i;
  }
  if (result.has_estimate()) {
    result.estimate = estimate_at(problem, result.starts[result.best].values);
    result.minima = minima_of(problem, result);
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace kalaba::fit
