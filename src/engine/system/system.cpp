#include "kalaba/system.hpp"

#include "kalaba/option_table.hpp"

namespace kalaba {

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
  if (precision == Precision::single_precision) set_single_defaults(options);
  return options;
}

}  // namespace kalaba
