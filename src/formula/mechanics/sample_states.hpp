#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "formula/graph/program.hpp"

namespace kalaba::formula {

/// Pseudo-random states of a system, the same in every run, for tests of identities of its formulas.
class SampleStates {
 public:
  /// `parameters`, `coordinates`: defaults, and the default start.
  SampleStates(std::vector<double> parameters, std::vector<double> coordinates, std::size_t rates)
      : w(rates), parameters_(std::move(parameters)), coordinates_(std::move(coordinates)) {}

  /// Near the default parameters and start, or, every other time, of the size of 1.
  void draw() {
    const bool is_near = (drawn_++ % 2) == 0;
    p = parameters_;
    for (double& each : p) {
      const double size = is_near && each != 0 ? std::abs(each) : 1;
      each = std::copysign(size * (1 + 0.5 * number()), each);
    }
    q = coordinates_;
    for (double& each : q) {
      if (!std::isfinite(each)) each = 0;
      each += (0.5 * std::abs(each) + (is_near && each != 0 ? 0 : 1)) * number();
    }
    for (double& each : w) each = number();
    t = number();
  }
  Inputs inputs() const { return {p.data(), q.data(), w.data(), nullptr, &t, 1}; }

  /// -1 ... 1
  double number() { return static_cast<double>(bits_() % 2000001) / 1e6 - 1; }

  std::vector<double> p;
  std::vector<double> q;
  std::vector<double> w;
  double t = 0;

 private:
  std::minstd_rand bits_{20260101};
  int drawn_ = 0;
  std::vector<double> parameters_;
  std::vector<double> coordinates_;
};

}  // namespace kalaba::formula
