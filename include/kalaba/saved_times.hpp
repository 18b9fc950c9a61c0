#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "kalaba/options.hpp"

namespace kalaba {

/// Number of saved times of a run, without computing them.
std::size_t saved_count(const Options& options);

/// Reported time of a step, s: time.start and time.end exactly; between them the shortest decimal that equals start +
/// step * dt within rounding (0.3 instead of 0.30000000000000004).
double grid_time(const TimeGrid& time, long step);

/// Reported time of a moment of a motion, s: for a step, grid_time; else the moment itself, limited to the interval
/// between the reported times of the steps before and after it. NaN for NaN.
double reported_time(const TimeGrid& time, double moment);

/// Index of the first of two successive times of save_at that are the same step; empty if there are none.
std::optional<std::size_t> same_step(const TimeGrid& time, const std::vector<double>& save_at);

}  // namespace kalaba
