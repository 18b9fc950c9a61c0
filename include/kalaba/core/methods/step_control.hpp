#pragma once

#include "kalaba/core/base/real.hpp"
#include "kalaba/core/model/method.hpp"

namespace kalaba {

/// Step size control: a PI controller (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, eq. IV.2.43
/// of volume II in the form of their codes DOPRI5 and DOP853). The exponents, from the tableau, are multiples of 1/64,
/// so only square roots are needed, which every backend rounds alike. Errors are in units of the tolerance: a step with
/// an error of at most 1 is accepted.
struct StepControl {
  static constexpr double safety = 0.9;
  static constexpr double least_factor = 0.2;
  static constexpr double most_factor = 10;
  static constexpr double least_error = 1e-4;     ///< smallest error that is stored
  static constexpr double rejected_error = 1e30;  ///< error of a step that failed

  /// error^(1/64)
  template <class X>
  KALABA_FN static X root(const X& error) {
    X root = max_of(error, X(1e-10));
    for (int i = 0; i < 6; ++i) root = sqrt(root);
    return root;
  }

  /// Factor of the step size after a rejected step whose error had this root.
  template <class Tableau, class X>
  KALABA_FN static X shrink_after_rejection(const X& root) {
    return max_of(proposal<Tableau>(root), X(least_factor));
  }

  /// Factor of the step size after an accepted step; `root_before` is of the error of the step before.
  template <class Tableau, class X>
  KALABA_FN static X growth(const X& root, const X& root_before) {
    X factor = proposal<Tableau>(root);
    if constexpr (Tableau::memory_exponent > 0) factor = factor * power<Tableau::memory_exponent>(root_before);
    return min_of(max_of(factor, X(least_factor)), X(most_factor));
  }

  /// Unit of the error of a number that is x before the step and y after it.
  template <class X>
  KALABA_FN static X scale(const Method& method, const X& x, const X& y) {
    return fma(X(method.relative_tolerance), max_of(abs(x), abs(y)), X(method.absolute_tolerance));
  }

  /// Smallest allowed step size, s. Time is summed to twice the digits of single precision, so this is valid for both
  /// precisions.
  template <class X>
  KALABA_FN static X smallest(const Method& method, const X& t, double span) {
    return max_of(X(method.smallest_step), X(16 * Limits<double>::epsilon) * max_of(abs(t), X(span)));
  }

 private:
  /// safety error^(-error_exponent/64)
  template <class Tableau, class X>
  KALABA_FN static X proposal(const X& root) {
    return X(safety) / power<Tableau::error_exponent>(root);
  }

  /// x^N by repeated squaring, highest power first.
  template <int N, class X>
  KALABA_FN static X power(const X& x) {
    constexpr int lowest = N & -N;
    if constexpr (N == 1) {
      return x;
    } else if constexpr (N == lowest) {
      const X half = power<N / 2>(x);
      return half * half;
    } else {
      return power<N - lowest>(x) * power<lowest>(x);
    }
  }
};

}  // namespace kalaba
