#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "formula/graph/program.hpp"
#include "formula/graph/zero_terms.hpp"

namespace kalaba::formula {

/// Pseudo-random states of a system, the same in every run, for tests of identities of its formulas.
class SampleStates {
 public:
  SampleStates(TypicalValues about, const SystemInfo& info) : w(info.rates.size()), about_(std::move(about)) {
    about_.coordinates.resize(info.coordinates.size(), 0.0);
  }

  /// Near the default parameters and start, or, every other time, of the size of 1.
  void draw() {
    const bool is_near = (drawn_++ % 2) == 0;
    p = about_.parameters;
    for (double& each : p) {
      const double size = is_near && each != 0 ? std::abs(each) : 1;
      each = std::copysign(size * (1 + 0.5 * number()), each);
    }
    q = about_.coordinates;
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
  TypicalValues about_;
};

}  // namespace kalaba::formula
