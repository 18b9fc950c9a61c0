#pragma once

#include "kalaba/backend/interpreted_model.hpp"
#include "kalaba/core/real.hpp"
#include "kalaba/core/table.hpp"

namespace kalaba {

namespace detail {

/// The packs that a Real of several is made of, one after another.
template <class X>
struct PacksOf {
  using type = X;
  static constexpr int count = 1;
};
template <class X>
requires requires(X x) { x.of[0]; }
struct PacksOf<X> {
  using type = std::remove_cvref_t<decltype(X().of[0])>;
  static constexpr int count = X::count;
};

/// By squares, as emitted code and formula::whole_power.
template <class Y>
KALABA_NOINLINE Y raised_by_squares(const Y& x, int exponent) {
  if (exponent < 0) return Y(1) / raised_by_squares(x, -exponent);
  if (exponent == 1) return x;
  const Y half = exponent / 2 == 1 ? x : raised_by_squares(x, exponent / 2);
  return exponent % 2 == 0 ? half * half : half * half * x;
}

/// What takes long enough to be called.
template <class Y>
KALABA_NOINLINE void carry_out_call(const InterpretedModel& model, const RegisterStep& step, const Y& a, const Y& b,
                                    Y& to) {
  using R = formula::Op;
  switch (step.operation) {
    case R::raise:
      to = raised_by_squares(a, step.index);
      return;
    case R::power:
      to = pow(a, b);
      return;
    case R::sin:
      to = sin(a);
      return;
    case R::cos:
      to = cos(a);
      return;
    case R::tan:
      to = tan(a);
      return;
    case R::asin:
      to = asin(a);
      return;
    case R::acos:
      to = acos(a);
      return;
    case R::atan:
      to = atan(a);
      return;
    case R::atan2:
      to = atan2(a, b);
      return;
    case R::exp:
      to = exp(a);
      return;
    case R::log:
      to = log(a);
      return;
    default: {
      const InterpretedModel::Table& table = model.tables[static_cast<std::size_t>(step.index)];
      to = table.degree == 1 ? table_at<1>(table.rows.data(), table.count, table.order, a)
                             : table_at<3>(table.rows.data(), table.count, table.order, a);
    }
  }
}

}  // namespace detail

/// Carries out steps on registers, each on the packs of one after another, so that they share what it takes to read it.
template <class X>
KALABA_NOINLINE void carry_out(const InterpretedModel& model, const RegisterSteps& steps, X* registers) {
  using Y = typename detail::PacksOf<X>::type;
  using R = formula::Op;
  constexpr int count = detail::PacksOf<X>::count;
  Y* const at = reinterpret_cast<Y*>(registers);
  const RegisterStep* const end = steps.data() + steps.size();
  for (const RegisterStep* now = steps.data(); now != end; ++now) {
    const RegisterStep& step = *now;
    Y* const to = at + step.to * count;
    const Y* const a = at + step.a * count;
    const Y* const b = at + step.b * count;
    const Y* const c = at + step.c * count;
    const auto each = [&](const auto& value) KALABA_LAMBDA {
      KALABA_UNROLL
      for (int k = 0; k < count; ++k) to[k] = value(k);
    };
    const auto truth = [](const auto& mask) KALABA_LAMBDA { return select(mask, Y(1), Y(0)); };
    switch (step.operation) {
      case R::copy:
        each([&](int k) KALABA_LAMBDA { return a[k]; });
        break;
      case R::add:
        each([&](int k) KALABA_LAMBDA { return a[k] + b[k]; });
        break;
      case R::subtract:
        each([&](int k) KALABA_LAMBDA { return a[k] - b[k]; });
        break;
      case R::multiply:
        each([&](int k) KALABA_LAMBDA { return a[k] * b[k]; });
        break;
      case R::divide:
        each([&](int k) KALABA_LAMBDA { return a[k] / b[k]; });
        break;
      case R::negate:
        each([&](int k) KALABA_LAMBDA { return -a[k]; });
        break;
      case R::multiply_add:
        each([&](int k) KALABA_LAMBDA { return a[k] * b[k] + c[k]; });
        break;
      case R::multiply_subtract:
        each([&](int k) KALABA_LAMBDA { return a[k] * b[k] - c[k]; });
        break;
      case R::subtract_multiplied:
        each([&](int k) KALABA_LAMBDA { return c[k] - a[k] * b[k]; });
        break;
      case R::fused_add:
        each([&](int k) KALABA_LAMBDA { return fma(a[k], b[k], c[k]); });
        break;
      case R::fused_subtract:
        each([&](int k) KALABA_LAMBDA { return fma(a[k], b[k], -c[k]); });
        break;
      case R::subtract_fused:
        each([&](int k) KALABA_LAMBDA { return fma(-a[k], b[k], c[k]); });
        break;
      case R::sqrt:
        each([&](int k) KALABA_LAMBDA { return sqrt(a[k]); });
        break;
      case R::abs:
        each([&](int k) KALABA_LAMBDA { return abs(a[k]); });
        break;
      case R::min:
        each([&](int k) KALABA_LAMBDA { return min_of(a[k], b[k]); });
        break;
      case R::max:
        each([&](int k) KALABA_LAMBDA { return max_of(a[k], b[k]); });
        break;
      case R::sign:
        each([&](int k) KALABA_LAMBDA { return sign_of(a[k]); });
        break;
      case R::less:
        each([&](int k) KALABA_LAMBDA { return truth(a[k] < b[k]); });
        break;
      case R::less_equal:
        each([&](int k) KALABA_LAMBDA { return truth(a[k] <= b[k]); });
        break;
      case R::both:
        each([&](int k) KALABA_LAMBDA { return a[k] * b[k]; });
        break;
      case R::either:
        each([&](int k) KALABA_LAMBDA { return max_of(a[k], b[k]); });
        break;
      case R::negation:
        each([&](int k) KALABA_LAMBDA { return Y(1) - a[k]; });
        break;
      case R::select:
        each([&](int k) KALABA_LAMBDA { return select(Y(0) < a[k], b[k], c[k]); });
        break;
      default:
        for (int k = 0; k < count; ++k) detail::carry_out_call(model, step, a[k], b[k], to[k]);
    }
  }
}

}  // namespace kalaba
