#pragma once

namespace kalaba {

/// Upper bounds of the values of a scenario.
inline constexpr long most_members = 1'000'000'000'000;
inline constexpr long most_steps = 1'000'000'000'000;
inline constexpr long most_saved_times = 100'000'000;

}  // namespace kalaba
