#include "formula/mechanics/defaults.hpp"

#include "formula/graph/program.hpp"

namespace kalaba::formula {

std::vector<double> default_parameters(const SystemInfo& info) {
  std::vector<double> parameters;
  for (const Variable& each : info.parameters) parameters.push_back(each.value);
  return parameters;
}

std::vector<double> at_defaults(const Graph& graph, const std::vector<Id>& roots, const SystemInfo& info) {
  if (roots.empty()) return {};
  const std::vector<double> parameters = default_parameters(info);
  const std::vector<double> none(info.coordinates.size() + info.rates.size(), 0.0);
  Inputs inputs;
  inputs.parameters = parameters.data();
  inputs.coordinates = inputs.rates = inputs.observed = none.data();
  return Program(graph, roots)(inputs);
}

TypicalValues typical_values(const Graph& graph, const std::vector<Id>& start_q, const SystemInfo& info) {
  return {default_parameters(info), at_defaults(graph, start_q, info)};
}

}  // namespace kalaba::formula
