#pragma once

#include <string>

#include "formula/code/function_writer.hpp"
#include "formula/mechanics/series.hpp"

namespace kalaba::formula {

/// The struct Series of an emitted model: the recurrences of its formulas as straight lines, one order a call, and the
/// sums of products of lower orders as loops. core/loop/taylor_series.hpp states its members.
std::string series_text(const Graph& graph, const Hoisted& hoisted, const Series& series, const std::string& model);

}  // namespace kalaba::formula
