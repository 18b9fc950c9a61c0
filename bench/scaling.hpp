#pragma once

#include <string>
#include <vector>

#include "bench/json.hpp"

namespace kalaba::bench {

/// Complete runs of the cpu backend at one point of an axis, without output files.
struct ScalingRow {
  std::string axis;  ///< "members", "threads" or "size"
  std::string system;
  int n = 0;
  int m = 0;
  std::string pseudo_inverse;
  long members = 0;
  int threads = 0;
  double steps_per_second = 0;  ///< member-steps per second of wall-clock time, median of three

  /// Time of a thread per step of one member, s.
  double thread_seconds_per_step() const { return threads / steps_per_second; }
};

/// Measures cost over the number of members (1e3 to 1e7), of threads (one to all), and of a chain's links (2 to 32).
std::vector<ScalingRow> scaling();

std::string scaling_text(const std::vector<ScalingRow>& rows);
JsonObject json_row(const ScalingRow& row, const std::string& device, const Origin& origin);

/// Draws throughput over members and cost over n to a .png or .svg.
void plot_scaling(const std::vector<ScalingRow>& rows, const std::string& path);

}  // namespace kalaba::bench
