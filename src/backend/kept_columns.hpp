#pragma once

#include <vector>

#include "kalaba/core/method.hpp"

namespace kalaba {

/// The columns of sensitivities among the rows that a time loop keeps of members between calls (Part::persistent):
/// first the columns themselves, then the integrator's own numbers, and of adaptive steps behind them the columns' last
/// step with its continuous extension and where an event stopped them.
struct KeptColumns {
  Integrator integrator;
  int columns;
  int coordinates;
  int rates;

  /// Rows in front of the integrator's own.
  int leading_rows() const { return columns * (coordinates + rates); }
  /// All, without the integrator's own.
  int rows() const;

  /// Column j of every member := the sum of factors[(i * columns + j) * stride + member] times column i, in all that is
  /// kept of them, which is linear in them. `persistent` is the first of the rows, each of `stride` members.
  void combine(double* persistent, long stride, const std::vector<double>& factors) const;
};

}  // namespace kalaba
