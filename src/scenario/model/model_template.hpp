#pragma once

#include <string>

namespace kalaba {

/// A commented model as text to start from, which load_scenario accepts as it stands.
std::string model_template();

}  // namespace kalaba
