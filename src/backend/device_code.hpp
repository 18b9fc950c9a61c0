#pragma once

#include "kalaba/system.hpp"

namespace kalaba {

/// What a run with these options compiles of a model: code_of it, or, where it has columns of sensitivities, that with
/// the derivatives of its formulas and their columns in its type. Throws Error(no_backend) of columns of a model whose
/// formulas are not known.
DeviceCode code_for(const DeviceCode& model, const Options& options);

}  // namespace kalaba
