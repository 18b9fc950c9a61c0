#pragma once

#include <string>
#include <vector>

#include "kalaba/core/model.hpp"
#include "scenario/document/document.hpp"

namespace kalaba {

/// Reads [time], or another table, over the defaults: a whole number of steps, at most most_steps, from start to a
/// later end.
TimeGrid read_time(Document& document, const TimeGrid& defaults, const std::string& table = "time");

/// Reads time.save_at: ascending times from the start to the end; empty if not given.
std::vector<double> read_save_at(Document& document, const TimeGrid& time);

}  // namespace kalaba
