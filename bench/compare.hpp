#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/json.hpp"
#include "problem.hpp"

namespace kalaba::bench {

/// Line of the comparison: Kalaba's cpu backend on one thread and one peer, on one problem.
struct Row {
  std::string name;  ///< of the problem
  int n = 0;
  int m = 0;
  std::string pseudo_inverse;
  std::string stabilization;
  std::string peer;
  std::string peer_version;
  std::string remark;  ///< reason why there are no figures; empty: none
  bool wrong = false;  ///< a result of the peer or of Kalaba was wrong
  long members = 0;
  long steps = 0;
  long repeats = 0;
  double rate = 0;       ///< steps/s of Kalaba: median of the repetitions
  double peer_rate = 0;  ///< of the peer
  double error = 0;      ///< maximum difference of a coordinate from the reference backend
  double peer_error = 0;
  double violation = 0;  ///< maximum |phi| at the end
  double peer_violation = 0;

  double ratio() const { return rate / peer_rate; }
};

/// Member-steps per second of CPU time, which excludes other programs on the machine; measured over at least a tenth of
/// a second.
double timed_rate(const Problem& problem, Contender& contender);

/// Runs a case: checks all results, then times Kalaba and its peers in turn, `repeats` times (at least five).
std::vector<Row> compare(const Case& each, long repeats);

/// Row as JSON; missing figures are null.
JsonObject json_row(const Row& row, const std::string& device, const Origin& origin);

/// Rows as a table for a terminal.
std::string comparison_text(const std::vector<Row>& rows);

/// Rows of a JSON file as a table in Markdown, with a line on the device. Throws Error if the file cannot be read.
std::string markdown_of(const std::string& json_path);

}  // namespace kalaba::bench
