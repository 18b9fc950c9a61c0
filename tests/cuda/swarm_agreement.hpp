#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "kalaba/run.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// max |found - expected| relative to the maximum of `expected`, at least 1.
inline double difference(std::span<const double> found, std::span<const double> expected) {
  double size = 1;  // scale of a velocity, for values projected to zero
  double most = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(found[i]) != std::isnan(expected[i])) return std::numeric_limits<double>::infinity();
    if (std::isnan(found[i])) continue;
    size = std::max(size, std::abs(expected[i]));
    most = std::max(most, std::abs(found[i] - expected[i]));
  }
  return most / size;
}

inline void expect_agreement(const Result& found, const Result& expected, const std::vector<std::string>& columns,
                             double tolerance) {
  ASSERT_EQ(found.times(), expected.times());
  EXPECT_EQ(found.status(), expected.status());
  for (std::size_t frame = 0; frame < expected.times().size(); ++frame) {
    for (const std::string& column : columns) {
      EXPECT_LE(difference(found.values(column, frame), expected.values(column, frame)), tolerance)
          << column << ", frame " << frame;
    }
  }
}

/// Columns that are compared.
inline std::vector<std::string> columns_of(const System& system) {
  std::vector<std::string> columns = {"residual", "rank", "violation"};
  for (const auto* variables : {&system.info.coordinates, &system.info.rates, &system.info.invariants}) {
    for (const Variable& variable : *variables) columns.push_back(variable.name);
  }
  for (const Variable& constraint : system.info.constraints) columns.push_back("constraint_" + constraint.name);
  for (const Variable& rate : system.info.rates) columns.push_back("force_" + rate.name);
  return columns;
}

}  // namespace kalaba
