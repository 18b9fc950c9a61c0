#pragma once

#include "kalaba/core/base/real.hpp"

namespace kalaba {

/// Dormand and Prince's method of order 5(4) (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, table
/// II.5.2; the continuous extension, of order 4, as in their code DOPRI5), as a Tableau of EmbeddedRungeKutta.
struct Dopri5Tableau {
  static constexpr int stages = 7;
  static constexpr int dense_stages = 0;
  static constexpr int error_rows = 1;
  static constexpr int dense_rows = 1;
  static constexpr int parts = 4;
  static constexpr int error_exponent = 11;
  static constexpr double stability = 3.25;  ///< length of the stability domain on the negative real axis
  static constexpr int memory_exponent = 2;

  KALABA_FN static constexpr double coefficient(int row, int column) {
    constexpr int columns = 7;
    constexpr double table[9 * columns] = {// clang-format off
        0, 0, 0, 0, 0, 0, 0,
        1.0 / 5, 0, 0, 0, 0, 0, 0,
        3.0 / 40, 9.0 / 40, 0, 0, 0, 0, 0,
        44.0 / 45, -56.0 / 15, 32.0 / 9, 0, 0, 0, 0,
        19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729, 0, 0, 0,
        9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656, 0, 0,
        35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0,
        71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40,
        -12715105075.0 / 11282082432.0, 0, 87487479700.0 / 32700410799.0, -10690763975.0 / 1880347072.0,
        701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0, 69997945.0 / 29380423.0};
                                           // clang-format on
    return table[row * columns + column];
  }
  KALABA_FN static constexpr double node(int stage) {
    constexpr double nodes[] = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};
    return nodes[stage];
  }

  template <class X>
  KALABA_FN static X error(const X* rms) {
    return rms[0];
  }
};

}  // namespace kalaba
