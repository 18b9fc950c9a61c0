#pragma once

#include "kalaba/backend/interpreted_model.hpp"
#include "kalaba/core/base/operation_value.hpp"
#include "kalaba/core/base/table.hpp"

namespace kalaba {

namespace detail {

/// Number of packs in a Real.
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

/// Executes an expensive instruction by a call: a power, an elementary function or a table.
template <class Y>
KALABA_NOINLINE void carry_out_call(const InterpretedModel& model, const RegisterStep& step, const Y& a, const Y& b,
                                    Y& to) {
  if (step.operation != Operation::table) {
    to = operation_value(step.operation, step.index, a, b, b);
    return;
  }
  const InterpretedModel::Table& table = model.tables[static_cast<std::size_t>(step.index)];
  to = table.degree == 1 ? table_at<1>(table.rows.data(), table.count, table.order, a)
                         : table_at<3>(table.rows.data(), table.count, table.order, a);
}

}  // namespace detail

/// Executes steps on registers. Each step runs over all packs of a register, which share the cost of decoding it.
template <class X>
KALABA_NOINLINE void carry_out(const InterpretedModel& model, const RegisterSteps& steps, X* registers) {
  using Y = typename detail::PacksOf<X>::type;
  using R = Operation;
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
