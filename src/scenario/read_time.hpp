#pragma once

#include <string>
#include <vector>

#include "kalaba/core/model/model.hpp"
#include "scenario/document/document.hpp"

namespace kalaba {

/// Reads a table of times over the defaults.
TimeGrid read_time(Document& document, const TimeGrid& defaults, const std::string& table);

/// Reads save_every of a table whose start, end and dt were read, and checks them: a whole number of steps, at most
/// most_steps, from the start to a later end.
void read_save_every(Document& document, const std::string& table, TimeGrid& time);

/// Reads time.save_at: ascending times from the start to the end; empty if not given.
std::vector<double> read_save_at(Document& document, const TimeGrid& time);

}  // namespace kalaba
