#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kalaba/ensemble.hpp"
#include "kalaba/sensitivities.hpp"

namespace kalaba {

constexpr long sensitive_steps = 25;
constexpr std::size_t most_columns = 5;
constexpr double relative_step = 1e-3;

/// Selection of the variables of sensitivities, including the first and the last. For bricard_loop without starts: away
/// from a solution its dependent constraints are independent, so that differences of starts use projections of another
/// rank.
inline std::vector<std::string> chosen_names(const SystemInfo& info) {
  std::vector<std::string> names = sensitivity_names(info);
  if (info.name == "bricard_loop") names.resize(info.parameters.size());
  const std::size_t count = std::min(most_columns, names.size());
  std::vector<std::string> chosen;
  for (std::size_t i = 0; i < count; ++i) {
    chosen.push_back(names[count == 1 ? 0 : i * (names.size() - 1) / (count - 1)]);
  }
  return chosen;
}

inline std::span<double> values_of(Ensemble& ensemble, const std::string& name) {
  const std::string last = name.substr(name.find('.') + 1);
  return name.starts_with("parameters.") ? ensemble.parameter(last) : ensemble.initial(last);
}

inline std::vector<std::string> state_names(const SystemInfo& info) {
  std::vector<std::string> names = field_layout(info, Field::q).components;
  for (const std::string& each : field_layout(info, Field::w).components) names.push_back(each);
  return names;
}

/// Names of the energy, the invariants and the multipliers that a system has.
inline std::vector<std::string> observed_names(const SystemInfo& info) {
  std::vector<std::string> names = field_layout(info, Field::energy).components;
  for (const std::string& each : field_layout(info, Field::invariants).components) names.push_back(each);
  if (info.servo) return names;
  for (const std::string& each : field_layout(info, Field::multipliers).components) names.push_back(each);
  return names;
}

/// Fields of these quantities.
inline FieldSet observed_fields(const SystemInfo& info) {
  FieldSet fields;
  for (const DifferentiatedField& each : differentiated_fields) {
    if (each.field == Field::q || each.field == Field::w) continue;
    for (const Field field : {each.field, each.sensitivity}) {
      if (has_field(info, field)) fields.add(field);
    }
  }
  return fields;
}

inline Options short_run(const System& system, Backend backend) {
  Options options = default_options(system);
  options.backend = backend;
  options.time.end = options.time.start + sensitive_steps * options.time.dt;
  options.time.save_every = sensitive_steps;
  options.project_start = options.project_start && !system.info.servo;
  options.fields = {Field::q, Field::w};
  return options;
}

/// Default member at the end, and its derivatives, [column][coordinates, rates].
struct Motion {
  std::vector<double> state;
  std::vector<std::vector<double>> columns;
  std::vector<double> observed;             ///< energy, invariants, multipliers
  std::vector<std::vector<double>> slopes;  ///< their derivatives, likewise
  double rank = 0;
  double rejected = 0;  ///< steps
};

inline Motion motion_of(const System& system, Options options) {
  if (!system.info.sensitivities.empty()) {
    options.fields = options.fields | FieldSet{Field::q_sensitivity, Field::w_sensitivity};
  }
  options.fields = options.fields | observed_fields(system.info) | FieldSet{Field::rank};
  const Ensemble ensemble(system, 1);
  const Result result = run(ensemble, options);
  const std::size_t last = result.times().size() - 1;
  EXPECT_EQ(result.status()[0], Status::ok) << system.info.name;
  EXPECT_TRUE(result.summary.device.starts_with(backend_name(options.backend))) << result.summary.compiled;
  Motion motion;
  motion.rejected = result.summary.rejected_steps;
  motion.rank = result.values("rank", last)[0];
  const std::vector<std::string> names = state_names(system.info);
  for (const std::string& name : names) motion.state.push_back(result.values(name, last)[0]);
  const std::vector<std::string> observed = observed_names(system.info);
  for (const std::string& name : observed) motion.observed.push_back(result.values(name, last)[0]);
  for (const Variable& along : system.info.sensitivities) {
    const auto add = [&](const std::vector<std::string>& of, std::vector<std::vector<double>>& columns) {
      columns.emplace_back();
      for (const std::string& name : of) {
        columns.back().push_back(result.values("sensitivity_" + name + "_to_" + along.name, last)[0]);
      }
    };
    add(names, motion.columns);
    add(observed, motion.slopes);
  }
  return motion;
}

/// Derivatives along the columns, or along other names, by differences of order 6, with six members per column.
inline std::vector<std::vector<double>> differences_of(const System& system, Options options,
                                                       const std::vector<Variable>& along,
                                                       const std::vector<std::string>& names) {
  constexpr double shifts[] = {1, -1, 2, -2, 3, -3};
  constexpr double weights[] = {3.0 / 4, -3.0 / 4, -3.0 / 20, 3.0 / 20, 1.0 / 60, -1.0 / 60};
  Ensemble ensemble(system, 6 * static_cast<long>(along.size()));
  std::vector<double> h;
  for (std::size_t column = 0; column < along.size(); ++column) {
    const std::span<double> values = values_of(ensemble, along[column].name);
    const double value = values[0];
    h.push_back(relative_step * (value == 0 ? 1.0 : std::abs(value)));
    for (std::size_t i = 0; i < 6; ++i) values[6 * column + i] = value + shifts[i] * h[column];
  }
  options.fields = options.fields | observed_fields(system.info);
  const Result result = run(ensemble, options);
  const std::size_t last = result.times().size() - 1;
  std::vector<std::vector<double>> columns;
  for (std::size_t column = 0; column < along.size(); ++column) {
    columns.emplace_back();
    for (const std::string& name : names) {
      const std::span<const double> values = result.values(name, last);
      double sum = 0;
      for (std::size_t i = 0; i < 6; ++i) sum += weights[i] * values[6 * column + i];
      columns.back().push_back(sum / h[column]);
    }
  }
  return columns;
}

inline std::vector<std::vector<double>> differences_of(const System& system, const Options& options,
                                                       const std::vector<Variable>& along) {
  return differences_of(system, options, along, state_names(system.info));
}

inline double size_of(std::span<const double> values) {
  double size = 0;
  for (const double value : values) size = std::max(size, std::abs(value));
  return size;
}

/// Compares within `tolerance` relative to the column, or to a tenth of the state divided by the variable if that is
/// larger, which is the accuracy of differences.
inline void expect_near(const std::vector<std::vector<double>>& found, const std::vector<std::vector<double>>& expected,
                        const System& system, const std::vector<double>& state, const char* what,
                        double tolerance = 1e-9) {
  const std::vector<std::string> names = state_names(system.info);
  const std::size_t coordinates = system.info.coordinates.size();
  for (std::size_t column = 0; column < expected.size(); ++column) {
    const Variable& along = system.info.sensitivities[column];
    const double variable = along.value == 0 ? 1.0 : std::abs(along.value);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto kind = i < coordinates ? std::span(state).first(coordinates) : std::span(state).subspan(coordinates);
      const double size = std::max(size_of(expected[column]), 0.1 * size_of(kind) / variable);
      EXPECT_NEAR(found[column][i], expected[column][i], tolerance * size)
          << system.info.name << ' ' << what << ": " << names[i] << " along " << along.name;
    }
  }
}

/// Compares the derivatives of the observed quantities within `tolerance` relative to the maximum along a column, or to
/// the values divided by the variable.
inline void expect_slopes_near(const std::vector<std::vector<double>>& found,
                               const std::vector<std::vector<double>>& expected, const System& system,
                               const Motion& motion, const char* what, double tolerance = 1e-9) {
  const std::vector<std::string> names = observed_names(system.info);
  for (std::size_t column = 0; column < expected.size(); ++column) {
    const Variable& along = system.info.sensitivities[column];
    const double variable = along.value == 0 ? 1.0 : std::abs(along.value);
    const double size = std::max({size_of(expected[column]), size_of(motion.observed) / variable,
                                  size_of(motion.columns[column]), 0.1 * size_of(motion.state) / variable});
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i].starts_with("lambda_") && motion.rank < static_cast<double>(system.info.constraints.size())) {
        EXPECT_TRUE(std::isnan(found[column][i])) << system.info.name << ' ' << names[i];
        continue;
      }
      // Norms of quantities that stay zero, where a norm has no derivative.
      if (system.info.name == "logarithmic_spiral" && names[i].starts_with("eps")) continue;
      EXPECT_NEAR(found[column][i], expected[column][i], tolerance * size)
          << system.info.name << ' ' << what << ": " << names[i] << " along " << along.name;
    }
  }
}

}  // namespace kalaba
