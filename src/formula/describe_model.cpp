#include "kalaba/describe_model.hpp"

namespace kalaba::detail {

std::vector<Variable> variables(const Quantity* table, int count, int copies) {
  std::vector<Variable> result;
  for (int copy = 1; copy <= copies; ++copy) {
    for (int i = 0; i < count; ++i) {
      std::string name = table[i].name;
      if (const auto place = name.find("{}"); place != std::string::npos) {
        name.replace(place, 2, std::to_string(copy));
      }
      result.push_back({name, table[i].unit, table[i].value, table[i].meaning});
    }
  }
  return result;
}

void complete_defaults(System& system) {
  std::vector<double> parameters;
  for (const auto& parameter : system.info.parameters) parameters.push_back(parameter.value);
  std::vector<double> q(system.info.coordinates.size());
  std::vector<double> w(system.info.rates.size());
  system.default_start(parameters.data(), q.data(), w.data());
  for (std::size_t i = 0; i < q.size(); ++i) system.info.coordinates[i].value = q[i];
  for (std::size_t i = 0; i < w.size(); ++i) system.info.rates[i].value = w[i];
}

}  // namespace kalaba::detail
