#pragma once

#include <string>

#include "kalaba/system.hpp"

namespace kalaba {

/// The C++ text that compiles a model for exactly these options: its precision, pseudo-inverse and integrator, and
/// whether events are watched. Numbers (tolerances, times, the events themselves) are told when it runs. With `counts`,
/// of numbers that count their operations.
std::string model_source(const DeviceCode& model, const Options& options, bool counts = false);

}  // namespace kalaba
