#pragma once

#include "bench/json.hpp"
#include "bench/work_precision.hpp"

namespace kalaba {

/// Returns one line per run, then the time of each curve for some errors.
std::string work_precision_table(const bench::WorkPrecision& all);

/// Returns one row per run.
std::vector<JsonObject> work_precision_rows(const bench::WorkPrecision& all, const bench::Origin& origin);

/// Draws the curves to a .png or .svg.
void draw_work_precision(const bench::WorkPrecision& all, const std::string& path);

}  // namespace kalaba
