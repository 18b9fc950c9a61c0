#pragma once

#include <iterator>
#include <memory>

#include "kalaba/backend/event_rows.hpp"
#include "kalaba/backend/pack.hpp"
#include "kalaba/backend/pack_work.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// The SIMD backend: packs of members through the core's time loop, on all cores. A member's result does not depend on
/// its neighbours in the pack, nor on which thread ran it.
std::unique_ptr<Runner> make_cpu_runner(const MemberFunctions& functions, const Options& options);

namespace detail {

template <class M, class T, PseudoInverse By, int Number = 0>
MemberFunctions functions_with(const Options& options) {
  constexpr auto number = static_cast<Integrator>(Number);
  if constexpr (Number + 1 < static_cast<int>(std::size(integrators))) {
    if (options.method.integrator != number) return functions_with<M, T, By, Number + 1>(options);
  }
  return model_functions<M, Pack<T>, By, LoopOf<number>::template Loop, true>();
}
template <class M, class T, int Number = 0>
MemberFunctions functions_in(const Options& options) {
  constexpr auto number = static_cast<PseudoInverse>(Number);
  if constexpr (facts_of(static_cast<PseudoInverse>(Number + 1)).type != nullptr) {
    if (options.method.pseudo_inverse != number) return functions_in<M, T, Number + 1>(options);
  }
  return functions_with<M, T, number>(options);
}

}  // namespace detail

template <Model M>
std::unique_ptr<Runner> make_cpu_runner(const Options& options) {
  if (options.precision == Precision::single_precision) {
    return make_cpu_runner(detail::functions_in<M, float>(options), options);
  }
  return make_cpu_runner(detail::functions_in<M, double>(options), options);
}

}  // namespace kalaba
