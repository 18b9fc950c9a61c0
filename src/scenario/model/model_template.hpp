#pragma once

#include <string>

namespace kalaba {

/// Commented model to start from; load_scenario accepts it without changes.
std::string model_template();
/// Commented mechanism to start from; load_scenario accepts it without changes.
std::string mechanism_template();

}  // namespace kalaba
