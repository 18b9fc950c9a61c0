#pragma once

#include "bench/json.hpp"
#include "bench/work_precision.hpp"

namespace kalaba {

/// A line a run, then the time of each curve for some errors.
std::string work_precision_table(const bench::WorkPrecision& all);

/// A row a run.
std::vector<JsonObject> work_precision_rows(const bench::WorkPrecision& all, const bench::Origin& origin);

/// Draws the curves to a .png or .svg.
void draw_work_precision(const bench::WorkPrecision& all, const std::string& path);

}  // namespace kalaba
