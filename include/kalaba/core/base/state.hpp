#pragma once

#include "kalaba/core/base/matrix.hpp"
#include "kalaba/core/base/real.hpp"

namespace kalaba {

/// Coordinates q and rates w, or their time derivatives.
template <class X, int NQ, int N>
struct State {
  Vec<X, NQ> q;
  Vec<X, N> w;
};

/// Selects one of the two lists of a state: of(state)[i] is a number of it.
struct OfQ {
  template <class S>
  KALABA_FN auto& operator()(S& state) const {
    return state.q;
  }
};
struct OfW {
  template <class S>
  KALABA_FN auto& operator()(S& state) const {
    return state.w;
  }
};

/// Calls work(of, i) for every number of states of this size; the number is of(state)[i].
template <int NQ, int N, class Team, class Work>
KALABA_FN void for_numbers(const Team& team, const Work& work) {
  team.template for_each<NQ>([&](int i) KALABA_LAMBDA { work(OfQ{}, i); });
  team.template for_each<N>([&](int i) KALABA_LAMBDA { work(OfW{}, i); });
}

template <class Team, class X, int NQ, int N>
KALABA_FN void copy(const Team& team, const State<X, NQ, N>& from, State<X, NQ, N>& to) {
  for_numbers<NQ, N>(team, [&](auto of, int i) KALABA_LAMBDA { of(to)[i] = of(from)[i]; });
}

/// to := from where the mask holds.
template <class Team, class X, int NQ, int N>
KALABA_FN void copy_where(const Team& team, const MaskOf<X>& where, const State<X, NQ, N>& from, State<X, NQ, N>& to) {
  for_numbers<NQ, N>(team, [&](auto of, int i) KALABA_LAMBDA { of(to)[i] = select(where, of(from)[i], of(to)[i]); });
}

/// to := number where the mask holds.
template <class Team, class X, int NQ, int N>
KALABA_FN void fill_where(const Team& team, const MaskOf<X>& where, const X& number, State<X, NQ, N>& to) {
  for_numbers<NQ, N>(team, [&](auto of, int i) KALABA_LAMBDA { of(to)[i] = select(where, number, of(to)[i]); });
}

template <class X, int NQ, int N>
KALABA_FN MaskOf<X> all_finite(const State<X, NQ, N>& state) {
  X of_q(0);  // 0 x is 0 for every finite x, and NaN otherwise
  X of_w(0);
  KALABA_UNROLL
  for (int i = 0; i < NQ; ++i) of_q = fma(state.q[i], X(0), of_q);
  KALABA_UNROLL
  for (int i = 0; i < N; ++i) of_w = fma(state.w[i], X(0), of_w);
  return of_q + of_w == X(0);
}

}  // namespace kalaba
