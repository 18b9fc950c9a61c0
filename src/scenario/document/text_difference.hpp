#pragma once

#include <string>

namespace kalaba {

/// First key that differs between two effective scenarios (Scenario::text), with both values: "time.end was 3, is now
/// 4". "" if both give bitwise identical members: output.file and the options that do not change bits may differ.
std::string text_difference(const std::string& before, const std::string& now);

}  // namespace kalaba
