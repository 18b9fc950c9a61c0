#pragma once

#include "kalaba/system.hpp"

namespace kalaba {

/// Returns the text that a run with these options compiles: emitted from the model's formulas if they are known, with
/// the derivatives for its columns of sensitivities. Throws Error(no_backend) for columns of a model whose formulas are
/// not known.
DeviceCode code_for(const DeviceCode& model, const Options& options);

}  // namespace kalaba
