#include "formula/mechanics/default_start.hpp"

#include "formula/graph/program.hpp"

namespace kalaba::formula {

std::vector<double> default_start(const Graph& graph, const std::vector<Id>& starts, const SystemInfo& info) {
  if (starts.empty()) return {};
  std::vector<double> parameters;
  for (const Variable& each : info.parameters) parameters.push_back(each.value);
  const std::vector<double> none(info.coordinates.size() + info.rates.size(), 0.0);
  Inputs inputs;
  inputs.parameters = parameters.data();
  inputs.coordinates = inputs.rates = inputs.observed = none.data();
  return Program(graph, starts)(inputs);
}

}  // namespace kalaba::formula
