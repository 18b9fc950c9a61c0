#pragma once

#include "kalaba/core/columns.hpp"
#include "kalaba/core/tangent_algebra.hpp"

namespace kalaba {

// Derivatives of a motion: the columns (dq, dw) of a member, one a variable that the run asked for, move with it. The
// equation G w' = F + A^T lambda, A w' = b differentiated along (dq, dw, dp) has the same matrices,
//
//   G dw' = dF - dG w' + dA^T lambda + A^T dlambda,   A dw' = db - dA w',
//
// so that a column costs a directional derivative of the terms, by dual numbers, and one more right-hand side of the
// pseudo-inverse. At constant rank dw' does not depend on which lambda dependent constraints were given.

/// The directional derivatives of a model along the columns of a member, and the workspace for them. Of one worker.
template <class M, class X, template <class, int, int> class InverseOf>
struct Tangents : TangentAlgebra<M, X> {
  static constexpr int np = Dim<M>::parameters;
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  static constexpr int m = Dim<M>::constraints;
  static constexpr int mh = Dim<M>::holonomic;
  static constexpr int count = Dim<M>::sensitivities;
  static constexpr int passes = (count + 3) / 4;  ///< through the terms, of up to four columns each
  static constexpr int width = (count + passes - 1) / passes;
  static constexpr bool momenta = M::formulation == Formulation::hamilton;
  using Rate = ConstrainedRate<M, X, InverseOf>;
  using D = Dual<X, width>;
  using P = Prepared<M, D>;
  using Q = Vec<X, nq>;
  using Algebra = TangentAlgebra<M, X>;
  using W = Vec<X, n>;
  using E = Vec<X, m>;
  using Mask = MaskOf<X>;
  using Terms = decltype(M::terms(P{}, D{}, Vec<D, nq>{}, Vec<D, n>{}));
  static constexpr int efforts = Rate::servo ? actuation_directions<M>() : m;
  using Effort = Vec<X, efforts>;  ///< multipliers, or of a servo its actuators' forces

  Sensitivities asked;
  P prepared_along[passes];

  /// What depends on the parameters alone.
  KALABA_FN void prepare(const Vec<X, np>& p) {
    for (int pass = 0; pass < passes; ++pass) prepared_along[pass] = prepared<M>(parameters(pass, p));
  }

  /// Where a member starts: the derivatives of the model's start, and of what it was given instead.
  KALABA_FN void begin(const Vec<X, np>& p, Columns<M, X>& columns) {
    for (int pass = 0; pass < passes; ++pass) {
      Vec<D, nq> q;
      Vec<D, n> w;
      M::start(parameters(pass, p), q, w);
      for_columns(pass, [&](int c, int column) KALABA_LAMBDA {
        const int of = asked.of[column] - np;
        for (int i = 0; i < nq; ++i) columns.q[column * nq + i] = seed(q[i].slope[c], i, of);
        for (int i = 0; i < n; ++i) columns.w[column * n + i] = seed(w[i].slope[c], nq + i, of);
      });
    }
  }

  /// The columns' rates where the member's own was just found.
  KALABA_NOINLINE void evaluate(Rate& rate, const Method& method, const X& t, const Q& q, const W& w,
                                const Columns<M, X>& at, Columns<M, X>& out) {
    const Motion motion = ideal_motion(rate);
    for (int pass = 0; pass < passes; ++pass) {
      Moved x = moved(pass, t, q, w, at);
      add_feedback(method, x);
      if constexpr (ModelParts<M>::has_non_ideal) {
        follow_non_ideal(rate, motion, x, out);
      } else {
        for_columns(pass, [&](int c, int column) KALABA_LAMBDA {
          W weighted;
          differentiate(rate, motion, x, x.terms.force, c, &out.w[column * n], weighted);
        });
      }
      for_columns(pass, [&](int c, int column) KALABA_LAMBDA {
        for (int i = 0; i < nq; ++i) out.q[column * nq + i] = x.terms.velocity[i].slope[c];
      });
    }
  }

  /// Takes the columns through q -= K_w correction, where `moving`; A correction = phi was just solved.
  template <class Inverse>
  KALABA_NOINLINE void move_position(const Linearization<M, X>& at, Inverse& inverse, const X& t, const Q& q,
                                     const W& w, const W& correction, const Mask& moving, Columns<M, X>& columns) {
    const Vec<X, mh> balance = Algebra::balance_of(at, inverse, at.constraint.position);
    for (int pass = 0; pass < passes; ++pass) {
      const Moved x = moved(pass, t, q, w, columns);
      Vec<D, n> step = constants<D>(correction);
      for_columns(pass, [&](int c, int) KALABA_LAMBDA {
        const W slope = correct(at, inverse, x, x.terms.position, balance, correction, c);
        for (int i = 0; i < n; ++i) step[i].slope[c] = slope[i];
      });
      const Vec<D, nq> shift = shift_of(x, step);
      for_columns(pass, [&](int c, int column) KALABA_LAMBDA {
        for (int i = 0; i < nq; ++i) move(columns.q[column * nq + i], shift[i].slope[c], moving);
      });
    }
  }

  /// Takes them through w -= correction; A correction = (phi', psi) was just solved.
  template <class Inverse>
  KALABA_NOINLINE void move_rate(const Linearization<M, X>& at, Inverse& inverse, const X& t, const Q& q, const W& w,
                                 const W& correction, const Mask& turning, Columns<M, X>& columns) {
    const E balance = Algebra::balance_of(at, inverse, at.constraint.rate);
    for (int pass = 0; pass < passes; ++pass) {
      const Moved x = moved(pass, t, q, w, columns);
      for_columns(pass, [&](int c, int column) KALABA_LAMBDA {
        const W slope = correct(at, inverse, x, x.terms.rate, balance, correction, c);
        for (int i = 0; i < n; ++i) move(columns.w[column * n + i], slope[i], turning);
      });
    }
  }

 private:
  /// The state along the columns of a pass, and its terms.
  struct Moved {
    int pass;
    D t;
    Vec<D, nq> q;
    Vec<D, n> w;
    Terms terms;
  };
  /// What the member's own equation was solved by: w', or of a non-ideal force its ideal part.
  struct Motion {
    W w_dot;
    W beside;  ///< of momenta w' less what is given: G^-1 A^T lambda
    Effort effort;
  };

  template <class F>
  KALABA_FN static void for_columns(int pass, const F& f) {
    for (int c = 0; c < width; ++c) {
      if (pass * width + c < count) f(c, pass * width + c);
    }
  }

  KALABA_FN Vec<D, np> parameters(int pass, const Vec<X, np>& p) const {
    Vec<D, np> along = constants<D>(p);
    for_columns(pass, [&](int c, int column) KALABA_LAMBDA {
      if (asked.of[column] < np) along[asked.of[column]].slope[c] = X(1);
    });
    return along;
  }

  KALABA_FN X seed(const X& of_start, int row, int of) const {
    if (row == of) return X(1);
    return asked.follows[row] != 0 ? of_start : X(0);
  }

  KALABA_FN Moved moved(int pass, const X& t, const Q& q, const W& w, const Columns<M, X>& columns) const {
    Moved x = {pass, D(t), constants<D>(q), constants<D>(w), {}};
    for_columns(pass, [&](int c, int column) KALABA_LAMBDA {
      for (int i = 0; i < nq; ++i) x.q[i].slope[c] = columns.q[column * nq + i];
      for (int i = 0; i < n; ++i) x.w[i].slope[c] = columns.w[column * n + i];
    });
    x.terms = M::terms(prepared_along[pass], x.t, x.q, x.w);
    return x;
  }

  KALABA_FN void add_feedback(const Method& method, Moved& x) const {
    if constexpr (m > 0) {
      ConstraintState<M, D> state = {x.terms.position, x.terms.rate, x.terms.b};
      state.add_feedback(Solo{}, prepared_along[x.pass], method.stabilization);
      x.terms.b = state.b;
    }
  }

  KALABA_FN static void move(X& value, const X& shift, const Mask& where) {
    value = select(where, value - shift, value);
  }

  KALABA_FN static Motion ideal_motion(Rate& rate) {
    Motion motion;
    W part = rate.weighted_correction;
    if constexpr (m > 0) {
      if constexpr (ModelParts<M>::has_non_ideal) rate.apply_pseudo_inverse(Solo{}, rate.error, part);
      if constexpr (Rate::servo) {
        rate.inverse.min_norm(Solo{}, rate.error, motion.effort);
      } else {
        motion.effort = Algebra::multipliers(rate.at, rate.inverse, rate.error);
      }
    } else {
      for (int i = 0; i < n; ++i) part[i] = X(0);
    }
    rate.at.factor.solve_transposed(part.data);
    motion.beside = part;
    for (int i = 0; i < n; ++i) motion.w_dot[i] = rate.free_rate[i] + part[i];
    return motion;
  }

  /// Column c of the differentiated equation at `motion`, given the force (or rate of momentum) `given`; leaves F^T
  /// times what the constraints add to it in `weighted`.
  KALABA_FN void differentiate(Rate& rate, const Motion& motion, const Moved& x, const Vec<D, n>& given, int c, X* out,
                               W& weighted) {
    for (int i = 0; i < n; ++i) weighted[i] = X(0);
    const W inertia = Algebra::metric_times(x.terms, momenta ? motion.beside : motion.w_dot, c);
    const W held = reaction_of(x, motion.effort, c);
    W free;
    for (int i = 0; i < n; ++i) free[i] = held[i] - inertia[i] + (momenta ? X(0) : given[i].slope[c]);
    E g;
    for (int r = 0; r < m; ++r) g[r] = x.terms.b[r].slope[c] - Algebra::slope_times(x.terms, r, motion.w_dot, c);
    Algebra::solve_metric(rate.at, g, free);
    if constexpr (momenta) {
      for (int i = 0; i < n; ++i) free[i] = free[i] + given[i].slope[c];
    }
    if constexpr (m > 0) {
      Algebra::constrain(rate.at, Algebra::is_loose(rate.inverse), g, free, weighted,
                         [&](const E& left, W& part) KALABA_LAMBDA { rate.apply_pseudo_inverse(Solo{}, left, part); });
    }
    for (int i = 0; i < n; ++i) out[i] = free[i];
  }

  KALABA_FN W reaction_of(const Moved& x, const Effort& effort, int c) const {
    if constexpr (Rate::servo) {
      return actuation_times(x, effort, c);
    } else {
      return Algebra::reaction(x.terms, c, effort);
    }
  }
  /// dS effort
  KALABA_FN W actuation_times(const Moved& x, const Effort& effort, int c) const {
    const auto actuation = M::actuation(prepared_along[x.pass], x.t, x.q);
    W sum;
    for (int i = 0; i < n; ++i) {
      sum[i] = X(0);
      for (int j = 0; j < efforts; ++j) sum[i] = fma(actuation(i, j).slope[c], effort[j], sum[i]);
    }
    return sum;
  }

  /// The derivative of a correction c, A c = error, along column `c`:
  ///   G dc = -dG c + dA^T lambda + A^T dlambda,   A dc = derror - dA c
  template <class Inverse, int Rows>
  KALABA_FN W correct(const Linearization<M, X>& at, Inverse& inverse, const Moved& x, const Vec<D, Rows>& error,
                      const Vec<X, Rows>& lambda, const W& correction, int c) const {
    const W inertia = Algebra::metric_times(x.terms, correction, c);
    W free = Algebra::reaction(x.terms, c, lambda);
    for (int i = 0; i < n; ++i) free[i] = free[i] - inertia[i];
    Vec<X, Rows> g;
    for (int r = 0; r < Rows; ++r) g[r] = error[r].slope[c] - Algebra::slope_times(x.terms, r, correction, c);
    Algebra::solve_metric(at, g, free);
    W weighted;
    Algebra::constrain(at, Algebra::is_loose(inverse), g, free, weighted,
                       [&](const Vec<X, Rows>& left, W& part) KALABA_LAMBDA { inverse.min_norm(Solo{}, left, part); });
    return free;
  }

  /// What a correction of the rates moves q by: K_w step.
  KALABA_FN Vec<D, nq> shift_of(const Moved& x, const Vec<D, n>& step) const {
    if constexpr (ModelParts<M>::has_velocity) {
      using Second = Dual<D, 1>;
      const auto velocity =
          M::velocity(constants<Second>(prepared_along[x.pass]), Second(x.t), constants<Second>(x.q), along(x.w, step));
      Vec<D, nq> shift;
      for (int i = 0; i < nq; ++i) shift[i] = velocity[i].slope[0];
      return shift;
    } else {
      return step;
    }
  }

  /// The columns where C of the non-ideal force sees the ideal one: first as if there were no C, then with it.
  KALABA_FN void follow_non_ideal(Rate& rate, const Motion& ideal, const Moved& x, Columns<M, X>& out) {
    Vec<D, n> force = constants<D>(ideal_force(rate, ideal));
    for_columns(x.pass, [&](int c, int column) KALABA_LAMBDA {
      W weighted;
      X* const dw = &out.w[column * n];
      differentiate(rate, ideal, x, x.terms.force, c, dw, weighted);
      if constexpr (momenta) {
        for (int i = 0; i < n; ++i) force[i].slope[c] = dw[i] - x.terms.force[i].slope[c];
      } else {  // A^T lambda
        const W turned = reaction_of(x, ideal.effort, c);
        rate.at.factor.multiply(weighted.data);
        for (int i = 0; i < n; ++i) force[i].slope[c] = turned[i] + weighted[i];
      }
    });
    const Vec<D, n> non_ideal = M::non_ideal(prepared_along[x.pass], x.t, x.q, x.w, force);
    const Motion whole = whole_motion(rate, ideal, non_ideal);
    Vec<D, n> given;
    for (int i = 0; i < n; ++i) given[i] = x.terms.force[i] + non_ideal[i];
    for_columns(x.pass, [&](int c, int column) KALABA_LAMBDA {
      W weighted;
      differentiate(rate, whole, x, given, c, &out.w[column * n], weighted);
    });
  }

  KALABA_FN static W ideal_force(const Rate& rate, const Motion& ideal) {
    W force = ideal.beside;
    if constexpr (!momenta) {
      rate.at.factor.multiply_transposed(force.data);
      rate.at.factor.multiply(force.data);
    }
    return force;
  }

  /// With the non-ideal force and what the constraints take of it.
  KALABA_FN static Motion whole_motion(Rate& rate, const Motion& ideal, const Vec<D, n>& non_ideal) {
    Motion whole = ideal;
    W given;
    for (int i = 0; i < n; ++i) given[i] = non_ideal[i].value;
    if constexpr (!momenta) {
      rate.at.factor.solve(given.data);
      rate.at.factor.solve_transposed(given.data);
    }
    for (int i = 0; i < n; ++i) {
      whole.w_dot[i] = rate.w_dot[i];
      whole.beside[i] = rate.w_dot[i] - rate.free_rate[i] - given[i];
    }
    if constexpr (m > 0) {
      E error;
      for (int r = 0; r < m; ++r) error[r] = rate.error[r] - Algebra::row_times(rate.at, r, given);
      whole.effort = Algebra::multipliers(rate.at, rate.inverse, error);
    }
    return whole;
  }
};

/// Tangents where the run asks for them, else nothing.
template <class M, class X, template <class, int, int> class InverseOf, bool Any = (Dim<M>::sensitivities > 0)>
struct TangentsOf {};
template <class M, class X, template <class, int, int> class InverseOf>
struct TangentsOf<M, X, InverseOf, true> : Tangents<M, X, InverseOf> {};

}  // namespace kalaba
