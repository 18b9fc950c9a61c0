#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "kalaba/run.hpp"
#include "scenario/scenario.hpp"

namespace kalaba::lyapunov {

/// Sink that stores the Lyapunov exponents of a run, at every saved time of every member.
class Exponents final : public Sink {
 public:
  void begin(const RunInfo& run) override {
    times = run.times;
    rows_.resize(times.size());
  }
  void write(const Frame& frame) override {
    const auto values = frame.values(Field::lyapunov_exponents);
    std::vector<std::vector<double>>& members = rows_[static_cast<std::size_t>(frame.index)];
    for (long member = 0; member < frame.block.members; ++member) {
      members.emplace_back();
      for (std::size_t i = static_cast<std::size_t>(member); i < values.size();
           i += static_cast<std::size_t>(frame.block.stride)) {
        members.back().push_back(values[i]);
      }
    }
    shows_columns = shows_columns || !frame.values(Field::q_sensitivity).empty();
  }
  void end_block(const Block&) override {}
  void finish(const Summary& summary) override { whole = summary; }

  const std::vector<double>& at(std::size_t frame, std::size_t member = 0) const { return rows_[frame][member]; }
  const std::vector<double>& last(std::size_t member = 0) const { return rows_.back()[member]; }
  /// Exponent of the growth between two saved times.
  double between(std::size_t first, std::size_t second, std::size_t i) const {
    const double t1 = times[first];
    const double t2 = times[second];
    return (t2 * at(second)[i] - t1 * at(first)[i]) / (t2 - t1);
  }

  std::vector<double> times;
  bool shows_columns = false;
  Summary whole;

 private:
  std::vector<std::vector<std::vector<double>>> rows_;  // [frame][member][exponent]
};

inline Exponents exponents_of(const Scenario& scenario, RunPart part = {}) {
  Exponents exponents;
  Sink* const sinks[] = {&exponents};
  run(*scenario.system, *scenario.source, scenario.options, sinks, {}, {}, std::move(part));
  return exponents;
}

/// Overrides for the exponents of all directions, on the backend cpu by default.
inline std::vector<std::string> with_exponents(std::vector<std::string> overrides) {
  const auto names_backend = [](const std::string& each) { return each.starts_with("solver.backend="); };
  if (std::ranges::none_of(overrides, names_backend)) overrides.emplace_back("solver.backend=cpu");
  overrides.emplace_back("sensitivities.lyapunov=true");
  return overrides;
}

inline Scenario named(const std::string& system, const std::vector<std::string>& overrides) {
  return load_scenario(system, with_exponents(overrides));
}

inline Scenario stated(const std::string& text, const std::vector<std::string>& overrides) {
  return load_scenario_text(text, "stated.toml", with_exponents(overrides));
}

inline std::string list(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "[" : ", ") + std::to_string(value);
  return text + "]";
}

}  // namespace kalaba::lyapunov
