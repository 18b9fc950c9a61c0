#include "cli/bench_table.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/table.hpp"

namespace kalaba {
namespace {

using bench::Measurement;
using Row = std::vector<std::string>;

/// "12 %": of the whole run.
std::string percent(double share) { return fmt::format("{:.{}f} %", 100 * share, share < 0.0995 ? 1 : 0); }

std::string method_text(const Options& options) {
  const std::string_view single = options.precision == Precision::single_precision ? " single" : "";
  return fmt::format("{}{}", pseudo_inverse_name(options.method.pseudo_inverse), single);
}

std::string steps_text(const Measurement& measurement) {
  if (measurement.steps == measurement.whole_steps) return std::to_string(measurement.steps);
  return fmt::format("{} of {}", measurement.steps, measurement.whole_steps);
}

Row row_of(const Measurement& each) {
  Row row = {each.system, std::string(backend_name(each.options.backend)), method_text(each.options),
             std::to_string(each.members), steps_text(each)};
  if (!each.failure.empty()) {
    row.push_back("failed: " + each.failure);
    return row;
  }
  row.push_back(with_prefix(each.steps_per_second));
  row.push_back(with_prefix(each.members_per_second));
  for (const double seconds : {each.phases.sampling, each.phases.start, each.phases.advance, each.phases.observe}) {
    row.push_back(percent(seconds / each.phases.total()));
  }
  row.push_back(fmt::format("{:.0f} B", each.bytes_per_member));
  const auto share = each.peak_share();
  row.push_back(share ? percent(*share) : "-");
  return row;
}

}  // namespace

std::string bench_table(const std::vector<Measurement>& measurements) {
  std::vector<Row> rows = {{"system", "backend", "method", "members", "steps", "steps/s", "members/s", "sampling",
                            "start", "advance", "observe", "memory/member", "of peak"}};
  for (const Measurement& each : measurements) rows.push_back(row_of(each));
  return table_text(rows);
}

std::string with_prefix(double value) {
  constexpr const char* prefixes[] = {"", " k", " M", " G", " T"};
  int thousands = 0;
  while (thousands < 4 && value >= 999.5) {
    value /= 1000;
    ++thousands;
  }
  const int digits = value < 9.995 ? 2 : (value < 99.95 ? 1 : 0);
  return fmt::format("{:.{}f}{}", value, digits, prefixes[thousands]);
}

}  // namespace kalaba
