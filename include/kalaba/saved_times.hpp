#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "kalaba/options.hpp"

namespace kalaba {

/// Number of saved times of a run, without making them.
std::size_t saved_count(const Options& options);

/// Time of a step as it is reported, s: time.start and time.end themselves, between them the shortest decimal that is
/// start + step * dt within rounding (0.3 in place of 0.30000000000000004).
double grid_time(const TimeGrid& time, long step);

/// A moment of a motion as it is reported, s: that of a step as grid_time has it, any other as it is, but on its side of
/// the reported times of the steps before and behind it. NaN for NaN.
double reported_time(const TimeGrid& time, double moment);

/// Index of the first of two successive times of save_at that are the same step; none where there are no such two.
std::optional<std::size_t> same_step(const TimeGrid& time, const std::vector<double>& save_at);

}  // namespace kalaba
