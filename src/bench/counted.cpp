#include "bench/counted.hpp"

#include <cmath>

namespace kalaba::bench {
namespace {

thread_local Operations counts;

Counted counted(double Operations::*kind, double result) {
  counts.*kind += 1;
  return result;
}
bool compared(bool result) {
  counts.choices += 1;
  return result;
}

}  // namespace

Operations& Counted::tally() { return counts; }

Counted operator+(Counted a, Counted b) { return counted(&Operations::additions, a.value_ + b.value_); }
Counted operator-(Counted a, Counted b) { return counted(&Operations::additions, a.value_ - b.value_); }
Counted operator*(Counted a, Counted b) { return counted(&Operations::multiplications, a.value_ * b.value_); }
Counted operator/(Counted a, Counted b) { return counted(&Operations::divisions, a.value_ / b.value_); }
Counted fma(Counted a, Counted b, Counted c) {
  return counted(&Operations::fused, std::fma(a.value_, b.value_, c.value_));
}

bool operator<(Counted a, Counted b) { return compared(a.value_ < b.value_); }
bool operator<=(Counted a, Counted b) { return compared(a.value_ <= b.value_); }
bool operator==(Counted a, Counted b) { return compared(a.value_ == b.value_); }
Counted select(bool mask, const Counted& a, const Counted& b) {
  return counted(&Operations::choices, mask ? a.value_ : b.value_);
}

Counted sqrt(Counted a) { return counted(&Operations::roots, std::sqrt(a.value_)); }
Counted rsqrt(Counted a) { return counted(&Operations::roots, 1 / std::sqrt(a.value_)); }

Counted sin(Counted a) { return counted(&Operations::functions, std::sin(a.value_)); }
Counted cos(Counted a) { return counted(&Operations::functions, std::cos(a.value_)); }
Counted tan(Counted a) { return counted(&Operations::functions, std::tan(a.value_)); }
Counted exp(Counted a) { return counted(&Operations::functions, std::exp(a.value_)); }
Counted log(Counted a) { return counted(&Operations::functions, std::log(a.value_)); }
Counted tanh(Counted a) { return counted(&Operations::functions, std::tanh(a.value_)); }
Counted pow(Counted a, Counted b) { return counted(&Operations::functions, std::pow(a.value_, b.value_)); }
Counted atan2(Counted y, Counted x) { return counted(&Operations::functions, std::atan2(y.value_, x.value_)); }

}  // namespace kalaba::bench
