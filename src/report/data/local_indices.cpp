#include "report/data/local_indices.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "text/nan.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

/// Welford's algorithm for mean and population variance.
struct MeanAndStd {
  double count = 0;
  double mean = 0;
  double squares = 0;

  void add(double value) {
    count += 1;
    const double step = value - mean;
    mean += step / count;
    squares += step * (value - mean);
  }
  double std() const { return std::sqrt(squares / count); }
};

}  // namespace

LocalIndex local_index(const std::vector<double>& p, const std::vector<double>& y, const std::vector<double>& slopes) {
  MeanAndStd inputs, outputs, derivatives, elasticities;
  bool has_one_sign = true;
  double sign = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!std::isfinite(p[i]) || !std::isfinite(y[i]) || !std::isfinite(slopes[i])) continue;
    inputs.add(p[i]);
    outputs.add(y[i]);
    derivatives.add(slopes[i]);
    if (sign == 0) sign = y[i];
    has_one_sign = has_one_sign && y[i] * sign > 0;
    if (has_one_sign) elasticities.add(p[i] / y[i] * slopes[i]);
  }
  if (inputs.count == 0) return {nan, nan, nan, nan};
  const bool vary = inputs.squares > 0 && outputs.squares > 0;
  const double scale = vary ? inputs.std() / outputs.std() : nan;
  LocalIndex index = {scale * derivatives.mean, scale * derivatives.std(), nan, nan};
  if (has_one_sign) {
    index.elasticity = elasticities.mean;
    index.elasticity_std = elasticities.std();
  }
  return index;
}

LocalIndices local_indices(const MemberSample& members, const std::vector<MemberColumn>& outputs) {
  LocalIndices result;
  result.along = names_of(members.archive().labels().sensitivities);
  const long last = static_cast<long>(members.contents().times.size()) - 1;
  std::vector<std::vector<double>> inputs;
  for (const std::string& name : result.along) {
    const auto found = find_input(members, name);
    inputs.push_back(found ? found->values : std::vector<double>(static_cast<std::size_t>(members.members()), nan));
  }
  for (const MemberColumn& output : outputs) {
    std::vector<std::size_t> columns;
    for (const std::string& name : result.along) {
      if (const auto found = members.contents().find("sensitivity_" + output.name + "_to_" + name))
        columns.push_back(*found);
    }
    if (columns.empty() || columns.size() != result.along.size()) continue;  // of energy, of an event, or not saved
    result.outputs.push_back(output);
    const std::vector<std::vector<double>> slopes = members.values(columns, last);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      result.indices.push_back(local_index(inputs[i], output.values, slopes[i]));
    }
  }
  return result;
}

}  // namespace kalaba
