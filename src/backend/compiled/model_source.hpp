#pragma once

#include <string>

#include "kalaba/system.hpp"

namespace kalaba {

/// The C++ text that compiles a model for exactly these options: its precision, pseudo-inverse and integrator, and
/// whether events are watched. Numbers (tolerances, times, the events themselves) are told when it runs.
std::string model_source(const DeviceCode& model, const Options& options);

}  // namespace kalaba
