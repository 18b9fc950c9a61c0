#pragma once

#include "kalaba/system.hpp"

namespace kalaba {

/// Returns true if a run uses derivatives of the model's formulas: for sensitivity columns, or for a Jacobian.
inline bool needs_slopes(const Options& options) {
  return !options.sensitivities.of.empty() || facts_of(options.method.integrator).uses_slopes;
}

/// Returns the text that a run with these options compiles: emitted from the model's formulas if they are known, with
/// the derivatives that the run uses. Throws Error(no_backend) for derivatives of a model whose formulas are not known.
DeviceCode code_for(const DeviceCode& model, const Options& options);

}  // namespace kalaba
