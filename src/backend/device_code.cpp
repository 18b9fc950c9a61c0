#include "backend/device_code.hpp"

#include <algorithm>

#include "kalaba/error.hpp"

namespace kalaba {

DeviceCode code_for(const DeviceCode& model, const Options& options) {
  const std::vector<int>& columns = options.sensitivities.of;
  const IntegratorFacts& facts = facts_of(options.method.integrator);
  if (!model.emit) {
    if (facts.uses_series || facts.uses_slopes) {
      throw Error(ExitCode::no_backend, "solver.integrator = \"" + std::string(facts.name) + "\" derives the " +
                                            (facts.uses_series ? "series" : "Jacobian") +
                                            " of a model's formulas, which are not available; use \"dop853\"");
    }
    if (columns.empty()) return model;
    throw Error(ExitCode::no_backend, "sensitivities are derivatives of a model's formulas, which are not available");
  }
  const bool feedback = options.method.stabilization.kind == Stabilization::Kind::feedback;
  // Derivatives of multipliers at an event that stops a member contain that of its time.
  const bool stops =
      std::ranges::any_of(options.events, [](const Event& each) { return each.action == EventAction::stop; });
  const bool time = stops && options.fields.has(Field::multipliers_sensitivity);
  DeviceCode code = model.emit(
      {columns, feedback, facts.uses_series, facts.uses_slopes, options.fields.has(Field::joint_reactions), time});
  if (columns.empty()) return code;
  code.type = "kalaba::WithSensitivities<" + code.type + ", " + std::to_string(columns.size()) + ">";
  return code;
}

}  // namespace kalaba
