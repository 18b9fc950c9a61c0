#pragma once

namespace kalaba {

/// What a scenario may ask for at most.
inline constexpr long most_members = 1'000'000'000'000;
inline constexpr long most_steps = 1'000'000'000'000;
inline constexpr long most_saved_times = 100'000'000;
inline constexpr long most_threads = 4096;

}  // namespace kalaba
