#pragma once

#include <string>
#include <vector>

#include "bench/measure.hpp"

namespace kalaba {

/// Returns one line per measurement.
std::string bench_table(const std::vector<bench::Measurement>& measurements);

/// "41.2 M", "8.13 k", "0.21": three digits and the prefix of the power of 1,000.
std::string with_prefix(double value);

}  // namespace kalaba
