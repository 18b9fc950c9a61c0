#pragma once

#include <string>
#include <vector>

#include "kalaba/core/model.hpp"
#include "scenario/document/document.hpp"

namespace kalaba {

/// [time], or another table, over the defaults: a whole number of steps, most_steps at most, from start to a later end.
TimeGrid read_time(Document& document, const TimeGrid& defaults, const std::string& table = "time");

/// time.save_at: ascending times from the start to the end; empty where it is not given.
std::vector<double> read_save_at(Document& document, const TimeGrid& time);

}  // namespace kalaba
