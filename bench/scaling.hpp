#pragma once

#include <string>
#include <vector>

#include "bench/json.hpp"

namespace kalaba::bench {

/// Whole runs of the cpu backend at one point of an axis; nothing is written to a file.
struct ScalingRow {
  std::string axis;  ///< "members", "threads" or "size"
  std::string system;
  int n = 0;
  int m = 0;
  std::string pseudo_inverse;
  long members = 0;
  int threads = 0;
  double steps_per_second = 0;  ///< member-steps by the wall clock, median of three

  /// What a step of one member takes of a thread's time.
  double thread_seconds_per_step() const { return threads / steps_per_second; }
};

/// Cost over the members (1e3 to 1e7), over the threads (one to all), and over the size of a chain (2 to 32 links).
std::vector<ScalingRow> scaling();

std::string scaling_text(const std::vector<ScalingRow>& rows);
JsonObject json_row(const ScalingRow& row, const std::string& device, const Origin& origin);

/// Draws throughput over members and cost over n into a .png or .svg.
void plot_scaling(const std::vector<ScalingRow>& rows, const std::string& path);

}  // namespace kalaba::bench
