#pragma once

#include <type_traits>

#include "bench/operations.hpp"
#include "kalaba/core/real.hpp"

namespace kalaba::bench {

/// A Real that counts what is done with it in its thread's tally. Its results are a double's.
class Counted {
 public:
  Counted() = default;
  template <class S>
  requires std::is_arithmetic_v<S> Counted(S x) : value_(static_cast<double>(x)) {}

  double value() const { return value_; }
  /// What this thread has counted so far.
  static Operations& tally();

  friend Counted operator+(Counted a, Counted b);
  friend Counted operator-(Counted a, Counted b);
  friend Counted operator*(Counted a, Counted b);
  friend Counted operator/(Counted a, Counted b);
  friend Counted operator-(Counted a) { return -a.value_; }
  friend Counted abs(Counted a) { return kalaba::abs(a.value_); }
  friend bool operator<(Counted a, Counted b);
  friend bool operator<=(Counted a, Counted b);
  friend bool operator>(Counted a, Counted b) { return b < a; }
  friend bool operator>=(Counted a, Counted b) { return b <= a; }
  friend bool operator==(Counted a, Counted b);
  friend bool operator!=(Counted a, Counted b) { return !(a == b); }
  friend Counted select(bool mask, const Counted& a, const Counted& b);

  friend Counted fma(Counted a, Counted b, Counted c);
  friend Counted sqrt(Counted a);
  friend Counted rsqrt(Counted a);
  friend Counted sin(Counted a);
  friend Counted cos(Counted a);
  friend Counted tan(Counted a);
  friend Counted exp(Counted a);
  friend Counted log(Counted a);
  friend Counted tanh(Counted a);
  friend Counted pow(Counted a, Counted b);
  friend Counted atan2(Counted y, Counted x);

 private:
  double value_;
};

}  // namespace kalaba::bench

template <>
struct kalaba::ScalarOf<kalaba::bench::Counted> {
  using type = double;
};
