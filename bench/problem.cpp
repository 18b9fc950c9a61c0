#include "problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kalaba::bench {
namespace {

Options options_of(const Problem& problem, Backend backend) {
  Options options = default_options(problem.system);
  options.backend = backend;
  options.threads = 1;
  options.method = problem.method;
  const double end = static_cast<double>(problem.steps) * Problem::dt;
  options.time = {.start = 0, .end = end, .dt = Problem::dt, .save_every = problem.steps};
  options.project_start = problem.method.stabilization.kind == Stabilization::Kind::projection;
  options.fields = {Field::q};
  return options;
}

}  // namespace

Ensemble Problem::ensemble() const {
  Ensemble ensemble(system, members);
  vary(ensemble);
  return ensemble;
}

Ensemble Problem::first(long count) const {
  Ensemble all = ensemble();
  Ensemble some(system, count);
  const auto copy = [&](std::span<const double> from, std::span<double> to) {
    std::copy_n(from.begin(), to.size(), to.begin());
  };
  for (const Variable& each : system.info.parameters) copy(all.parameter(each.name), some.parameter(each.name));
  for (const auto* table : {&system.info.coordinates, &system.info.rates}) {
    for (const Variable& each : *table) copy(all.initial(each.name), some.initial(each.name));
  }
  return some;
}

KalabaContender::KalabaContender(const Problem& problem, Backend backend, long members)
    : problem_(&problem), ensemble_(problem.first(members)), options_(options_of(problem, backend)) {}

void KalabaContender::run(Ends& ends) {
  const Result result = kalaba::run(ensemble_, options_);
  ends.clear();
  for (const Variable& each : problem_->system.info.coordinates) {
    const auto row = result.values(each.name, 1);
    ends.insert(ends.end(), row.begin(), row.end());
  }
  if (result.summary.failed() > 0) ends.assign(ends.size(), std::numeric_limits<double>::quiet_NaN());
}

double difference(const Problem& problem, const Ends& some, const Ends& others) {
  const std::size_t coordinates = problem.system.info.coordinates.size();
  const std::size_t stride = some.size() / coordinates;
  const std::size_t other_stride = others.size() / coordinates;
  double largest = 0;
  for (std::size_t i = 0; i < coordinates; ++i) {
    for (std::size_t member = 0; member < std::min(stride, other_stride); ++member) {
      const double apart = std::abs(some[i * stride + member] - others[i * other_stride + member]);
      if (!(apart <= largest)) largest = apart;  // true for NaN, too
      if (std::isnan(largest)) return largest;
    }
  }
  return largest;
}

double violation(const Problem& problem, const Ends& ends) {
  const SystemInfo& info = problem.system.info;
  Ensemble ensemble = problem.ensemble();
  for (std::size_t i = 0; i < info.coordinates.size(); ++i) {
    const auto to = ensemble.initial(info.coordinates[i].name);
    std::copy_n(ends.begin() + static_cast<std::ptrdiff_t>(i * to.size()), to.size(), to.begin());
  }
  Options options = options_of(problem, Backend::cpu);
  options.project_start = false;
  options.time.end = Problem::dt;
  options.fields = {Field::constraints};
  const Result result = kalaba::run(ensemble, options);
  const auto names = field_layout(info, Field::constraints).components;
  double largest = 0;
  for (int row = 0; row < info.holonomic; ++row) {
    for (const double phi : result.values(names[static_cast<std::size_t>(row)], 0)) {
      largest = std::max(largest, std::abs(phi));
    }
  }
  return largest;
}

}  // namespace kalaba::bench
