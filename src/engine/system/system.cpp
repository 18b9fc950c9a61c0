#include "kalaba/system.hpp"

#include "kalaba/describe_model.hpp"

namespace kalaba {

namespace detail {

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

}  // namespace detail

Options default_options(const System& system) {
  Options options;
  options.time = system.info.time;
  options.method.pseudo_inverse = PseudoInverse::automatic;
  options.method.stabilization = system.info.stabilization;
  options.project_start = system.info.stabilization.kind == Stabilization::Kind::projection || system.info.agents > 0;
  options.fields = {Field::q, Field::w, Field::residual, Field::violation};
  for (const Field field : {Field::energy, Field::invariants}) {
    if (has_field(system.info, field)) options.fields.add(field);
  }
  return options;
}

Options default_options(const System& system, Precision precision) {
  Options options = default_options(system);
  options.precision = precision;
  if (precision == Precision::single_precision) options.method.rank_tolerance = 1e-4;
  return options;
}

}  // namespace kalaba
