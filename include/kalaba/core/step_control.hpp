#pragma once

#include "kalaba/core/method.hpp"
#include "kalaba/core/real.hpp"

namespace kalaba {

/// How long the next step is: a PI controller (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, eq.
/// IV.2.43 of volume II as their codes DOPRI5 and DOP853 use it), with exponents in 64ths so that square roots, which
/// every backend rounds alike, are all it needs; they are the tableau's. Errors are in units of the tolerance: a step
/// with one of at most 1 is accepted.
struct StepControl {
  static constexpr double safety = 0.9;
  static constexpr double least_factor = 0.2;
  static constexpr double most_factor = 10;
  static constexpr double least_error = 1e-4;     ///< that is remembered
  static constexpr double rejected_error = 1e30;  ///< the error of a step that failed

  /// error^(1/64)
  template <class X>
  KALABA_FN static X root(const X& error) {
    X root = max_of(error, X(1e-10));
    for (int i = 0; i < 6; ++i) root = sqrt(root);
    return root;
  }

  /// The factor to try again with, after a step whose error had this root.
  template <class Tableau, class X>
  KALABA_FN static X shrink_after_rejection(const X& root) {
    return max_of(proposal<Tableau>(root), X(least_factor));
  }

  /// The factor to the next step, after an accepted one; `root_before` is of the error of the one before.
  template <class Tableau, class X>
  KALABA_FN static X growth(const X& root, const X& root_before) {
    X factor = proposal<Tableau>(root);
    if constexpr (Tableau::memory_exponent > 0) factor = factor * power<Tableau::memory_exponent>(root_before);
    return min_of(max_of(factor, X(least_factor)), X(most_factor));
  }

  /// What the error is measured by, where a number is x before the step and y after it.
  template <class X>
  KALABA_FN static X scale(const Method& method, const X& x, const X& y) {
    return fma(X(method.relative_tolerance), max_of(abs(x), abs(y)), X(method.absolute_tolerance));
  }

  /// Below it a step is too small. Time is summed to twice the digits of single precision, so that this serves either.
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

  /// x^N by squares, the highest first.
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
