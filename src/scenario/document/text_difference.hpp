#pragma once

#include <string>

namespace kalaba {

/// First key that differs between two effective scenarios (Scenario::text), with both values: "time.end was 3, is now
/// 4". "" if both give bitwise identical members: solver.threads, block_members, devices and output.file may differ.
std::string text_difference(const std::string& before, const std::string& now);

}  // namespace kalaba
