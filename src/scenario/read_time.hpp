#pragma once

#include "kalaba/core/model.hpp"
#include "scenario/document.hpp"

namespace kalaba {

/// [time] over the defaults: a whole number of steps, most_steps at most, from start to a later end.
TimeGrid read_time(Document& document, const TimeGrid& defaults);

}  // namespace kalaba
