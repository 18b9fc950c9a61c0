// Compiled once for each level, with its name in KALABA_PACK_LEVEL.

#include "backend/pack_mathematics.hpp"

#include "kalaba/backend/pack.hpp"

namespace kalaba {
namespace {

template <class T>
constexpr PackMathematics<T> all() {
  using X = Pack<T>;
  return {[](const T* in, T* out) { sin(X::load(in)).store(out); },
          [](const T* in, T* out) { cos(X::load(in)).store(out); },
          [](const T* in, T* out) { tan(X::load(in)).store(out); },
          [](const T* in, T* out) { asin(X::load(in)).store(out); },
          [](const T* in, T* out) { acos(X::load(in)).store(out); },
          [](const T* in, T* out) { atan(X::load(in)).store(out); },
          [](const T* in, T* out) { exp(X::load(in)).store(out); },
          [](const T* in, T* out) { log(X::load(in)).store(out); },
          [](const T* in, T* out) { tanh(X::load(in)).store(out); },
          [](const T* in, const T* exponent, T* out) { pow(X::load(in), X::load(exponent)).store(out); },
          [](const T* y, const T* x, T* out) { atan2(X::load(y), X::load(x)).store(out); }};
}

}  // namespace

const PackLevel& KALABA_PACK_LEVEL::level() {
  static constexpr PackMathematics<double> of_doubles = all<double>();
  static constexpr PackMathematics<float> of_floats = all<float>();
  static const PackLevel level = {xsimd::default_arch::name(), Pack<double>::lanes, &of_doubles, &of_floats};
  return level;
}

}  // namespace kalaba
