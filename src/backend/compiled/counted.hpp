#pragma once

#include "kalaba/backend/member_functions.hpp"
#include "kalaba/core/base/real.hpp"

namespace kalaba {

/// Number of operations done with Counted numbers so far.
inline Operations operations = {};

/// A Real of one member that counts the operations done with it, for one thread. Its results are those of double.
struct Counted {
  static constexpr int lanes = 1;

  double value;

  Counted() = default;
  Counted(double x) : value(x) {}
  Counted(float x) : value(static_cast<double>(x)) {}
  Counted(int x) : value(x) {}

  static Counted load(const double* from) { return *from; }
  void store(double* to) const { *to = value; }
  static Counted from(const double* numbers) { return *numbers; }
  void to(double* numbers) const { *numbers = value; }
  template <class Function>
  friend Counted map_lanes(const Counted& a, const Function& function) {
    return counted(operations.functions, function(a.value));
  }
  friend double lane_of(const Counted& a, int) { return a.value; }

  friend Counted operator+(Counted a, Counted b) { return counted(operations.additions, a.value + b.value); }
  friend Counted operator-(Counted a, Counted b) { return counted(operations.additions, a.value - b.value); }
  friend Counted operator*(Counted a, Counted b) { return counted(operations.multiplications, a.value * b.value); }
  friend Counted operator/(Counted a, Counted b) { return counted(operations.divisions, a.value / b.value); }
  friend Counted fma(Counted a, Counted b, Counted c) {
    return counted(operations.fused, __builtin_fma(a.value, b.value, c.value));
  }
  friend Counted operator-(Counted a) { return -a.value; }
  friend Counted abs(Counted a) { return __builtin_fabs(a.value); }

  friend bool operator<(Counted a, Counted b) { return compared(a.value < b.value); }
  friend bool operator<=(Counted a, Counted b) { return compared(a.value <= b.value); }
  friend bool operator>(Counted a, Counted b) { return b < a; }
  friend bool operator>=(Counted a, Counted b) { return b <= a; }
  friend bool operator==(Counted a, Counted b) { return compared(a.value == b.value); }
  friend bool operator!=(Counted a, Counted b) { return !(a == b); }
  friend Counted select(bool mask, const Counted& a, const Counted& b) {
    return counted(operations.choices, mask ? a.value : b.value);
  }

  friend Counted sqrt(Counted a) { return counted(operations.roots, __builtin_sqrt(a.value)); }
  friend Counted rsqrt(Counted a) { return counted(operations.roots, 1 / __builtin_sqrt(a.value)); }
  friend Counted sin(Counted a) { return counted(operations.functions, __builtin_sin(a.value)); }
  friend Counted cos(Counted a) { return counted(operations.functions, __builtin_cos(a.value)); }
  friend Counted tan(Counted a) { return counted(operations.functions, __builtin_tan(a.value)); }
  friend Counted asin(Counted a) { return counted(operations.functions, __builtin_asin(a.value)); }
  friend Counted acos(Counted a) { return counted(operations.functions, __builtin_acos(a.value)); }
  friend Counted atan(Counted a) { return counted(operations.functions, __builtin_atan(a.value)); }
  friend Counted exp(Counted a) { return counted(operations.functions, __builtin_exp(a.value)); }
  friend Counted log(Counted a) { return counted(operations.functions, __builtin_log(a.value)); }
  friend Counted tanh(Counted a) { return counted(operations.functions, __builtin_tanh(a.value)); }
  friend Counted pow(Counted a, Counted b) { return counted(operations.functions, __builtin_pow(a.value, b.value)); }
  friend Counted atan2(Counted y, Counted x) {
    return counted(operations.functions, __builtin_atan2(y.value, x.value));
  }

 private:
  static Counted counted(double& kind, double result) {
    kind += 1;
    return result;
  }
  static bool compared(bool result) {
    operations.choices += 1;
    return result;
  }
};

template <>
struct ScalarOf<Counted> {
  using type = double;
};

}  // namespace kalaba
