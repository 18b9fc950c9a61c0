#pragma once

#include "kalaba/core/base/matrix.hpp"
#include "kalaba/core/base/real.hpp"

namespace kalaba {

/// A value and its first derivatives in N directions.
template <class X, int N>
struct Dual {
  X value;
  Vec<X, N> slope;

  Dual() = default;
  KALABA_FN explicit Dual(const X& constant) : value(constant) {
    KALABA_UNROLL
    for (int i = 0; i < N; ++i) slope[i] = X(0);
  }
  template <class S>
  requires requires(S s) { X(s); }
  KALABA_FN explicit Dual(S constant) : Dual(X(constant)) {}

  /// f(x) from f, f' and f'' at x.value.
  KALABA_FN static Dual chain(const Dual& x, const X& f, const X& f1, const X&) {
    return zip(x, x, f, [&](const X& d, const X&) KALABA_LAMBDA { return f1 * d; });
  }

  friend KALABA_FN Dual operator+(const Dual& a, const Dual& b) {
    return zip(a, b, a.value + b.value, [](const X& x, const X& y) KALABA_LAMBDA { return x + y; });
  }
  friend KALABA_FN Dual operator-(const Dual& a, const Dual& b) {
    return zip(a, b, a.value - b.value, [](const X& x, const X& y) KALABA_LAMBDA { return x - y; });
  }
  friend KALABA_FN Dual operator*(const Dual& a, const Dual& b) {
    return zip(a, b, a.value * b.value,
               [&](const X& x, const X& y) KALABA_LAMBDA { return multiply_add(a.value, y, b.value * x); });
  }
  friend KALABA_FN Dual operator*(const Dual& a, const X& b) {
    return zip(a, a, a.value * b, [&](const X& x, const X&) KALABA_LAMBDA { return x * b; });
  }
  friend KALABA_FN Dual operator+(const Dual& a, const X& b) { return {a.value + b, a.slope}; }

 private:
  KALABA_FN Dual(const X& v, const Vec<X, N>& d) : value(v), slope(d) {}

  template <class F>
  KALABA_FN static Dual zip(const Dual& a, const Dual& b, const X& value, const F& f) {
    Dual result;
    result.value = value;
    KALABA_UNROLL
    for (int i = 0; i < N; ++i) result.slope[i] = f(a.slope[i], b.slope[i]);
    return result;
  }
};

/// A value and its first and second derivative along a curve x(s).
template <class X>
struct Taylor {
  X value;
  X first;
  X second;

  Taylor() = default;
  KALABA_FN Taylor(const X& v, const X& d1, const X& d2) : value(v), first(d1), second(d2) {}
  KALABA_FN explicit Taylor(const X& constant) : value(constant), first(0), second(0) {}
  template <class S>
  requires requires(S s) { X(s); }
  KALABA_FN explicit Taylor(S constant) : Taylor(X(constant)) {}

  KALABA_FN static Taylor chain(const Taylor& x, const X& f, const X& f1, const X& f2) {
    return {f, f1 * x.first, multiply_add(f2 * x.first, x.first, f1 * x.second)};
  }

  friend KALABA_FN Taylor operator+(const Taylor& a, const Taylor& b) {
    return {a.value + b.value, a.first + b.first, a.second + b.second};
  }
  friend KALABA_FN Taylor operator-(const Taylor& a, const Taylor& b) {
    return {a.value - b.value, a.first - b.first, a.second - b.second};
  }
  friend KALABA_FN Taylor operator*(const Taylor& a, const Taylor& b) {
    const X cross = a.first * b.first;
    return {a.value * b.value, multiply_add(a.value, b.first, a.first * b.value),
            multiply_add(a.value, b.second, multiply_add(a.second, b.value, cross + cross))};
  }
  friend KALABA_FN Taylor operator*(const Taylor& a, const X& b) { return {a.value * b, a.first * b, a.second * b}; }
  friend KALABA_FN Taylor operator+(const Taylor& a, const X& b) { return {a.value + b, a.first, a.second}; }
};

namespace detail {
template <class J>
struct JetOf;
template <class X, int N>
struct JetOf<Dual<X, N>> {
  using Base = X;
};
template <class X>
struct JetOf<Taylor<X>> {
  using Base = X;
};
}  // namespace detail

/// a b + c
template <class X, int N>
KALABA_FN Dual<X, N> fma(const Dual<X, N>& a, const Dual<X, N>& b, const Dual<X, N>& c) {
  Dual<X, N> result;
  result.value = fma(a.value, b.value, c.value);
  KALABA_UNROLL
  for (int i = 0; i < N; ++i) result.slope[i] = fma(a.value, b.slope[i], fma(b.value, a.slope[i], c.slope[i]));
  return result;
}

/// Any of the derivative-carrying numbers; the functions below are written once for all of them.
template <class J>
concept Jet = requires {
  typename detail::JetOf<J>::Base;
};
template <class J>
using JetBase = typename detail::JetOf<J>::Base;
/// A number that mixes with J as a constant: J's base, or a type that converts to it.
template <class S, class J>
concept ConstantOf = !Jet<S> && requires(const S& s) {
  JetBase<J>(s);
};

template <Jet J>
KALABA_FN J operator-(const J& a) {
  return a * JetBase<J>(-1);
}
// A jet of jets takes a plain number through its base; the operators of the jet itself take the base.
template <Jet J, ConstantOf<J> S>
requires Jet<JetBase<J>> KALABA_FN J operator*(const J& a, const S& b) { return a * JetBase<J>(b); }
template <Jet J, ConstantOf<J> S>
requires Jet<JetBase<J>> KALABA_FN J operator+(const J& a, const S& b) { return a + JetBase<J>(b); }
template <Jet J, ConstantOf<J> S>
KALABA_FN J operator-(const J& a, const S& b) {
  return a + (-JetBase<J>(b));
}
template <Jet J, ConstantOf<J> S>
KALABA_FN J operator+(const S& a, const J& b) {
  return b + JetBase<J>(a);
}
template <Jet J, ConstantOf<J> S>
KALABA_FN J operator-(const S& a, const J& b) {
  return -b + JetBase<J>(a);
}
template <Jet J, ConstantOf<J> S>
KALABA_FN J operator*(const S& a, const J& b) {
  return b * JetBase<J>(a);
}
template <Jet J, ConstantOf<J> S>
KALABA_FN J operator/(const J& a, const S& b) {
  return a * (JetBase<J>(1) / JetBase<J>(b));
}
template <Jet J>
KALABA_FN J reciprocal(const J& x) {
  const JetBase<J> r = JetBase<J>(1) / x.value;
  const JetBase<J> r2 = r * r;
  return J::chain(x, r, -r2, (r2 + r2) * r);
}
template <Jet J>
KALABA_FN J operator/(const J& a, const J& b) {
  return a * reciprocal(b);
}
template <Jet J, ConstantOf<J> S>
KALABA_FN J operator/(const S& a, const J& b) {
  return reciprocal(b) * JetBase<J>(a);
}

template <Jet J>
KALABA_FN auto operator<(const J& a, const J& b) {
  return a.value < b.value;
}
template <Jet J, ConstantOf<J> S>
KALABA_FN auto operator<(const J& a, const S& b) {
  return a.value < JetBase<J>(b);
}
template <Jet J, ConstantOf<J> S>
KALABA_FN auto operator<(const S& a, const J& b) {
  return JetBase<J>(a) < b.value;
}
template <Jet J>
KALABA_FN auto operator<=(const J& a, const J& b) {
  return a.value <= b.value;
}
template <class A, class B>
requires Jet<A> || Jet<B> KALABA_FN auto operator>(const A& a, const B& b) -> decltype(b < a) { return b < a; }

// For masks of packs; a bool selects whole numbers of any kind.
template <class Mask, class X, int N>
requires(!is_bool<Mask>) KALABA_FN Dual<X, N> select(const Mask& mask, const Dual<X, N>& a, const Dual<X, N>& b) {
  Dual<X, N> result;
  result.value = select(mask, a.value, b.value);
  KALABA_UNROLL
  for (int i = 0; i < N; ++i) result.slope[i] = select(mask, a.slope[i], b.slope[i]);
  return result;
}
template <class Mask, class X>
requires(!is_bool<Mask>) KALABA_FN Taylor<X> select(const Mask& mask, const Taylor<X>& a, const Taylor<X>& b) {
  return {select(mask, a.value, b.value), select(mask, a.first, b.first), select(mask, a.second, b.second)};
}

/// The slope is zero if x and its slope are, as of a square: the derivative of v |v| is zero at rest.
template <class X, int N>
KALABA_FN Dual<X, N> sqrt(const Dual<X, N>& x) {
  Dual<X, N> result;
  result.value = sqrt(x.value);
  const X factor = X(0.5) / result.value;
  const auto is_zero = [](const X& number) KALABA_LAMBDA { return both(number <= X(0), X(0) <= number); };
  KALABA_UNROLL
  for (int i = 0; i < N; ++i) {
    const X& slope = x.slope[i];
    result.slope[i] = select(both(is_zero(x.value), is_zero(slope)), X(0), factor * slope);
  }
  return result;
}
template <Jet J>
KALABA_FN J sqrt(const J& x) {
  const JetBase<J> root = sqrt(x.value);
  const JetBase<J> f1 = JetBase<J>(0.5) / root;
  return J::chain(x, root, f1, f1 * (JetBase<J>(-0.5) / x.value));
}
template <Jet J>
KALABA_FN J sin(const J& x) {
  const JetBase<J> s = sin(x.value);
  return J::chain(x, s, cos(x.value), -s);
}
template <Jet J>
KALABA_FN J cos(const J& x) {
  const JetBase<J> c = cos(x.value);
  return J::chain(x, c, -sin(x.value), -c);
}
template <Jet J>
KALABA_FN J tan(const J& x) {
  return sin(x) / cos(x);
}
template <Jet J>
KALABA_FN J exp(const J& x) {
  const JetBase<J> e = exp(x.value);
  return J::chain(x, e, e, e);
}
template <Jet J>
KALABA_FN J log(const J& x) {
  const JetBase<J> r = JetBase<J>(1) / x.value;
  return J::chain(x, log(x.value), r, -(r * r));
}
template <Jet J>
KALABA_FN J tanh(const J& x) {
  const JetBase<J> h = tanh(x.value);
  const JetBase<J> f1 = JetBase<J>(1) - h * h;
  return J::chain(x, h, f1, JetBase<J>(-2) * h * f1);
}
template <Jet J>
KALABA_FN J asin(const J& x) {
  const JetBase<J> f1 = JetBase<J>(1) / sqrt(JetBase<J>(1) - x.value * x.value);
  return J::chain(x, asin(x.value), f1, x.value * f1 * f1 * f1);
}
template <Jet J>
KALABA_FN J acos(const J& x) {
  const JetBase<J> f1 = JetBase<J>(-1) / sqrt(JetBase<J>(1) - x.value * x.value);
  return J::chain(x, acos(x.value), f1, x.value * f1 * f1 * f1);
}
template <Jet J>
KALABA_FN J atan(const J& x) {
  const JetBase<J> f1 = JetBase<J>(1) / (JetBase<J>(1) + x.value * x.value);
  return J::chain(x, atan(x.value), f1, JetBase<J>(-2) * x.value * f1 * f1);
}
template <Jet J>
KALABA_FN J abs(const J& x) {
  return select(x.value < JetBase<J>(0), -x, x);
}
/// x to a constant power.
template <Jet J, ConstantOf<J> S>
KALABA_FN J pow(const J& x, const S& exponent) {
  const JetBase<J> n(exponent);
  const JetBase<J> f1 = n * pow(x.value, n - JetBase<J>(1));
  return J::chain(x, pow(x.value, n), f1, (n - JetBase<J>(1)) * f1 / x.value);
}
template <Jet J>
KALABA_FN J pow(const J& x, const J& exponent) {
  return exp(log(x) * exponent);
}
template <Jet J>
KALABA_FN J atan2(const J& y, const J& x) {
  // Let u be the angle at this point, held fixed: atan2(y, x) = u + atan of (x, y) rotated by -u, whose value is 0.
  const JetBase<J> r = rsqrt(x.value * x.value + y.value * y.value);
  const JetBase<J> c = x.value * r;
  const JetBase<J> s = y.value * r;
  const J along = x * c + y * s;
  const J across = y * c - x * s;
  const J ratio = across / along;
  return J::chain(ratio, atan2(y.value, x.value), JetBase<J>(1), JetBase<J>(0));
}

/// x as constants of a derivative-carrying type.
template <class J, class X, int N>
KALABA_FN Vec<J, N> constants(const Vec<X, N>& x) {
  Vec<J, N> lifted;
  KALABA_UNROLL
  for (int i = 0; i < N; ++i) lifted[i] = J(x[i]);
  return lifted;
}

}  // namespace kalaba
