#include "fit/normal_sums.hpp"

#include <algorithm>
#include <cmath>

namespace kalaba::fit {

bool NormalEquations::is_usable() const {
  return status == Status::ok && std::isfinite(cost) && gradient.allFinite() && normal.allFinite();
}

std::vector<Observed> observed_columns(const SystemInfo& system, const std::vector<std::string>& columns) {
  std::vector<Observed> observed;
  for (const std::string& name : columns) {
    for (const auto& [field, sensitivity] : differentiated_fields) {
      const std::vector<std::string> names = field_layout(system, field).components;
      const auto found = std::ranges::find(names, name);
      if (found == names.end()) continue;
      observed.push_back({field, sensitivity, static_cast<std::size_t>(found - names.begin()), names.size()});
      break;
    }
  }
  return observed;
}

std::vector<double> weights_of(const Measurements& data) {
  std::vector<double> weights(data.columns.size(), 1.0);
  for (std::size_t i = 0; i < data.sigmas.size(); ++i) weights[i] = 1 / data.sigmas[i];
  return weights;
}

NormalSums::NormalSums(const Problem& problem)
    : problem_(problem),
      observed_(observed_columns(problem.system.info, problem.data.columns)),
      weights_(weights_of(problem.data)) {
  const Measurements& data = problem.data;
  std::size_t reading = 0;
  for (std::size_t time = 0; time < data.times.size(); ++time) {
    while (reading < data.readings.size() && data.readings[reading].time == time) ++reading;
    ends_.push_back(reading);
  }
}

void NormalSums::begin(const RunInfo& run) {
  const std::size_t variables = problem_.free.size();
  members_ = static_cast<std::size_t>(run.members);
  sums_.assign((1 + variables + variables * (variables + 1) / 2) * members_, 0.0);
  status_.assign(members_, Status::ok);
}

void NormalSums::write(const Frame& frame) {
  const auto time = static_cast<std::size_t>(frame.index);
  for (std::size_t i = time == 0 ? 0 : ends_[time - 1]; i < ends_[time]; ++i) add(problem_.data.readings[i], frame);
}

void NormalSums::add(const Reading& reading, const Frame& frame) {
  const Observed& at = observed_[reading.column];
  const double weight = weights_[reading.column];
  const auto stride = static_cast<std::size_t>(frame.block.stride);
  const auto first = static_cast<std::size_t>(frame.block.first);
  const auto count = static_cast<std::size_t>(frame.block.members);
  const std::size_t variables = problem_.free.size();
  const double* const value = frame.values(at.field).data() + at.row() * stride;
  const double* const columns = frame.values(at.sensitivity).data();
  residual_.resize(count);
  double* const cost = row(0) + first;
  for (std::size_t i = 0; i < count; ++i) {
    residual_[i] = (value[i] - reading.value) * weight;
    cost[i] += residual_[i] * residual_[i];
  }
  std::size_t next = 1 + variables;
  for (std::size_t j = 0; j < variables; ++j) {
    const double* const along = columns + at.row(j) * stride;
    double* const gradient = row(1 + j) + first;
    for (std::size_t i = 0; i < count; ++i) gradient[i] += weight * along[i] * residual_[i];
    for (std::size_t k = 0; k <= j; ++k) {
      const double* const other = columns + at.row(k) * stride;
      double* const normal = row(next++) + first;
      for (std::size_t i = 0; i < count; ++i) normal[i] += weight * along[i] * (weight * other[i]);
    }
  }
}

void NormalSums::end_block(const Block& block) {
  std::copy_n(block.status.begin(), block.members, status_.begin() + block.first);
}

NormalEquations NormalSums::of(std::size_t member) const {
  const auto variables = static_cast<Eigen::Index>(problem_.free.size());
  NormalEquations equations;
  equations.status = status_[member];
  std::size_t next = member;
  const auto take = [&] {
    const double sum = sums_[next];
    next += members_;
    return sum;
  };
  equations.cost = take();
  equations.gradient.resize(variables);
  equations.normal.resize(variables, variables);
  for (Eigen::Index j = 0; j < variables; ++j) equations.gradient[j] = take();
  for (Eigen::Index j = 0; j < variables; ++j) {
    for (Eigen::Index k = 0; k <= j; ++k) equations.normal(j, k) = equations.normal(k, j) = take();
  }
  return equations;
}

}  // namespace kalaba::fit
