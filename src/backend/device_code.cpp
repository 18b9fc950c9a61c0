#include "backend/device_code.hpp"

#include "kalaba/error.hpp"

namespace kalaba {

DeviceCode code_of(const DeviceCode& model) {
  if (model.recorded == nullptr) return model;
  try {
    return model.recorded();
  } catch (const Error&) {  // too large for a straight line
    return model;
  }
}

DeviceCode code_for(const DeviceCode& model, const Options& options) {
  const std::vector<int>& columns = options.sensitivities.of;
  if (columns.empty()) return code_of(model);
  if (!model.differentiated) {
    throw Error(ExitCode::no_backend, "sensitivities are derivatives of a model's formulas, which are not known here");
  }
  const bool feedback = options.method.stabilization.kind == Stabilization::Kind::feedback;
  DeviceCode code = model.differentiated({columns, feedback});
  code.type = "kalaba::WithSensitivities<" + code.type + ", " + std::to_string(columns.size()) + ">";
  return code;
}

}  // namespace kalaba
