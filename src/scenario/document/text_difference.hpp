#pragma once

#include <string>

namespace kalaba {

/// The first key that two effective scenarios (Scenario::text) do not agree on, with both values: "time.end was 3, is
/// now 4". "" where both give the same members the same bits: solver.threads, block_members and devices and
/// output.file may differ.
std::string text_difference(const std::string& before, const std::string& now);

}  // namespace kalaba
