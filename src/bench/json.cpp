#include "bench/json.hpp"

#include <limits>

namespace kalaba::bench {
namespace {

std::string_view stabilization_name(const Stabilization& stabilization) {
  constexpr std::string_view names[] = {"none", "projection", "feedback"};
  return names[static_cast<int>(stabilization.kind)];
}

/// Null for what was not measured.
double figure(const Measurement& measurement, double value) {
  return measurement.failure.empty() ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

void add_origin(JsonObject& row, const Origin& origin) {
  row.add("version", origin.version);
  row.add("commit", origin.commit);
  row.add("compiler", origin.compiler);
  row.add("flags", origin.flags);
  row.add("date", origin.date);
}

std::string json_text(const std::vector<JsonObject>& rows) {
  std::string text = "{\"rows\": [";
  const char* separator = "\n  ";
  for (const JsonObject& row : rows) {
    text += separator + row.text();
    separator = ",\n  ";
  }
  return text + "\n]}\n";
}

JsonObject json_row(const Measurement& measurement, const Origin& origin) {
  JsonObject row;
  const Options& options = measurement.options;
  row.add("system", measurement.system);
  row.add("backend", backend_name(options.backend));
  row.add("precision", precision_name(options.precision));
  row.add("pseudo_inverse", pseudo_inverse_name(options.method.pseudo_inverse));
  row.add("stabilization", stabilization_name(options.method.stabilization));
  row.add("members", measurement.members);
  row.add("steps", measurement.steps);
  row.add("whole_steps", measurement.whole_steps);
  row.add("repeats", measurement.repeats);
  row.add("failure", measurement.failure);
  const auto add = [&](const char* key, double value) { row.add(key, figure(measurement, value)); };
  add("member_steps_per_second", measurement.steps_per_second);
  if (measurement.pairs_per_second) add("pairs_per_second", *measurement.pairs_per_second);
  add("members_per_second", measurement.members_per_second);
  add("sampling_seconds_per_member", measurement.phases.sampling);
  add("start_seconds_per_member", measurement.phases.start);
  add("advance_seconds_per_member", measurement.phases.advance);
  add("observe_seconds_per_member", measurement.phases.observe);
  add("bytes_per_member", measurement.bytes_per_member);
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  add("flop_per_step", measurement.step_flops.value_or(unknown));
  add("peak_flop_per_second", measurement.peak_flops > 0 ? measurement.peak_flops : unknown);
  add("peak_share", measurement.peak_share().value_or(unknown));
  row.add("device", measurement.device);
  add_origin(row, origin);
  return row;
}

}  // namespace kalaba::bench
