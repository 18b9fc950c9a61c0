#pragma once

#include "kalaba/core/inverse/rank_rule.hpp"
#include "kalaba/core/inverse/rows.hpp"

namespace kalaba {

/// Memory for the exchange between a step's kernels and the program that decomposes the matrices: member after member,
/// with every matrix in column-major order. A is the pseudo-inverse's B, or its transpose if that has more rows, so A
/// never has more columns than rows; A = U diag(values) V^T.
template <class X>
struct SvdExchange {
  X* a;             ///< [member][length x extent], of the current stage
  const X* values;  ///< [stage][member][extent]
  const X* u;       ///< [stage][member][length x u_columns]
  const X* v;       ///< [stage][member][extent x extent]
  const int* info;  ///< [stage][member], 0 if it converged
  long members;     ///< members in each stage
  int u_columns;    ///< extent or length; only the first `extent` are used
  int stage;        ///< stage of the step: earlier stages are decomposed, the matrices of this stage are exported
};

/// Pseudo-inverse computed by an external batched SVD (cuSOLVER). A step is repeated from its beginning, each time one
/// stage further: at stage `exchange.stage`, B is written to memory; earlier stages read the decompositions. Later
/// stages have no matrix yet: they use zero, and their results are discarded. For plain numbers.
template <class X, int M, int N>
struct DeferredSvd {
  static constexpr bool wide = M <= N;
  static constexpr int extent = wide ? M : N;
  static constexpr int length = wide ? N : M;

  Mat<X, M, N> rows;  ///< in: B
  SvdExchange<X> exchange;
  long place;   ///< of the member, in the current stage
  int present;  ///< last factorized stage
  X threshold;  ///< singular values at or below it are dropped

  /// Starts a step of a member.
  template <class Team>
  KALABA_FN void begin(const Team& team, const SvdExchange<X>& with, long member) {
    team.single([&]() KALABA_LAMBDA {
      exchange = with;
      place = member - with.members;
      present = -1;
    });
  }

  /// Returns true if the external program converged.
  template <class Team>
  KALABA_NOINLINE bool factorize(const Team& team, const RankRule<X>& rule, bool /*warm*/) {
    team.single([&]() KALABA_LAMBDA {
      ++present;
      place += exchange.members;
    });
    if (present == exchange.stage) hand_over(team);
    if (!known()) return true;
    X largest(0);
    for (int k = 0; k < extent; ++k) largest = max_of(largest, value(k));
    team.single([&]() KALABA_LAMBDA { threshold = rule.tolerance * largest; });
    return exchange.info[place] == 0;
  }

  template <class Team>
  KALABA_FN void min_norm(const Team& team, const Vec<X, M>& e, Vec<X, N>& x) const {
    Vec<X, extent> y;
    KALABA_UNROLL
    for (int k = 0; k < extent; ++k) y[k] = kept(k) ? along_left(k, e) / value(k) : X(0);
    combine(team, y, x);
  }

  template <class Team>
  KALABA_FN void project(const Team& team, Vec<X, N>& x) const {
    Vec<X, extent> y;
    KALABA_UNROLL
    for (int k = 0; k < extent; ++k) {
      X sum(0);
      for (int i = 0; kept(k) && i < N; ++i) sum = fma(right(i, k), x[i], sum);
      y[k] = sum;
    }
    combine(team, y, x);
  }

  /// lambda = (B B^T)+ e.
  template <class Team>
  KALABA_FN void multipliers(const Team& team, const Vec<X, M>& e, Vec<X, M>& lambda) const {
    Vec<X, extent> y;
    KALABA_UNROLL
    for (int k = 0; k < extent; ++k) y[k] = kept(k) ? along_left(k, e) / value(k) / value(k) : X(0);
    team.template for_each<M>([&](int i) KALABA_LAMBDA {
      X sum(0);
      for (int k = 0; k < extent; ++k) {
        if (kept(k)) sum = fma(y[k], left(i, k), sum);
      }
      lambda[i] = sum;
    });
  }

  /// Left singular vector k if its singular value is dropped, else zero; zero too for the vectors behind the extent of
  /// a matrix with more rows than columns, which the external program does not return.
  KALABA_FN void left_null_vector(int k, Vec<X, M>& vector) const {
    KALABA_UNROLL
    for (int i = 0; i < M; ++i) vector[i] = k < extent && known() && !kept(k) ? left(i, k) : X(0);
  }

  KALABA_FN X squared_residual(const Vec<X, M>& e) const {
    Vec<X, M> rest = e;
    for (int k = 0; k < extent; ++k) {
      if (!kept(k)) continue;
      const X along = along_left(k, e);
      KALABA_UNROLL
      for (int i = 0; i < M; ++i) rest[i] = fma(-along, left(i, k), rest[i]);
    }
    X sum(0);
    KALABA_UNROLL
    for (int i = 0; i < M; ++i) sum = fma(rest[i], rest[i], sum);
    return sum;
  }

  KALABA_FN X rank() const {
    X count(0);
    for (int k = 0; k < extent; ++k) count = count + X(kept(k) ? 1 : 0);
    return count;
  }

 private:
  KALABA_FN bool known() const { return present < exchange.stage; }
  KALABA_FN X value(int k) const { return exchange.values[place * extent + k]; }
  KALABA_FN bool kept(int k) const { return known() && threshold < value(k) && X(0) < value(k); }

  // Singular vectors of B.
  KALABA_FN X u(int i, int k) const { return exchange.u[(place * exchange.u_columns + k) * length + i]; }
  KALABA_FN X v(int i, int k) const { return exchange.v[(place * extent + k) * extent + i]; }
  KALABA_FN X left(int i, int k) const { return wide ? v(i, k) : u(i, k); }
  KALABA_FN X right(int i, int k) const { return wide ? u(i, k) : v(i, k); }

  KALABA_FN X along_left(int k, const Vec<X, M>& e) const {
    X sum(0);
    KALABA_UNROLL
    for (int i = 0; i < M; ++i) sum = fma(left(i, k), e[i], sum);
    return sum;
  }

  /// x = sum y_k right_k, over the kept k
  template <class Team>
  KALABA_FN void combine(const Team& team, const Vec<X, extent>& y, Vec<X, N>& x) const {
    team.template for_each<N>([&](int i) KALABA_LAMBDA {
      X sum(0);
      for (int k = 0; k < extent; ++k) {
        if (kept(k)) sum = fma(y[k], right(i, k), sum);
      }
      x[i] = sum;
    });
  }

  /// Numbers that are not finite are replaced by zero: the member fails because of them for every matrix, and the
  /// external program need not handle them.
  template <class Team>
  KALABA_FN void hand_over(const Team& team) const {
    X* const a = exchange.a + (place - exchange.stage * exchange.members) * (M * N);
    team.template for_each<M * N>([&](int entry) KALABA_LAMBDA {
      const X number = rows.data[entry];
      a[wide ? entry : entry % N * M + entry / N] = is_finite(number) ? number : X(0);
    });
  }
};

}  // namespace kalaba
