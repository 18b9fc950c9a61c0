#pragma once

#include <vector>

#include "kalaba/core/model/method.hpp"

namespace kalaba {

/// Layout of the sensitivity columns among the rows that a time loop keeps of members between calls (Part::persistent):
/// first the columns and those of the time of a stop, then the integrator's own numbers, and for adaptive steps the
/// columns' last step with its continuous extension, and the columns at the event that stopped the member.
struct KeptColumns {
  Integrator integrator;
  int columns;
  int coordinates;
  int rates;

  /// Number of rows before the integrator's own.
  int leading_rows() const { return columns * (coordinates + rates + 1); }
  /// Number of all rows except the integrator's own.
  int rows() const;

  /// Replaces column j of every member by the sum of factors[(i * columns + j) * stride + member] times column i, in
  /// all stored rows of states, which are linear in the columns. `persistent` is the first of the rows, each of
  /// `stride` members.
  void combine(double* persistent, long stride, const std::vector<double>& factors) const;
};

}  // namespace kalaba
