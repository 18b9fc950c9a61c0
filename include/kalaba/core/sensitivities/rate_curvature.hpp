#pragma once

#include "kalaba/core/base/differentiation.hpp"
#include "kalaba/core/rate/columns.hpp"
#include "kalaba/core/sensitivities/rate_slopes.hpp"

namespace kalaba {

/// Sizes of the slopes of a non-ideal force; 0 without one.
template <class M, bool Any = ModelParts<M>::has_non_ideal>
struct NonIdealSizes {
  static constexpr int known = 0;
  static constexpr int kept = 0;
};
template <class M>
struct NonIdealSizes<M, true> {
  static constexpr int known = M::NonIdeal::known;
  static constexpr int kept = M::NonIdeal::kept;
};

/// Second derivatives of a member's rate at one state: along a direction u, and along each of its sensitivity columns.
/// The equation of motion R(y, x) = 0 is linear in x = (w', lambda), so that
///
///   R_x x_u = -R_y u,   R_x x_uv = -(R_yy u v + R_yx u x_v + R_yx v x_u)
///
/// have the matrices of the equation itself (core/sensitivities/rate_slopes.hpp). The right-hand sides of the second
/// are derivatives of those of the first, which the model's groups compute with dual numbers. For one worker.
template <class M, class X, template <class, int, int> class InverseOf>
struct RateCurvature : RateSlopes<M, X, InverseOf> {
  using Base = RateSlopes<M, X, InverseOf>;
  using Base::m;
  using Base::momenta;
  using Base::n;
  using Base::nq;
  using typename Base::P;
  using typename Base::Q;
  using typename Base::Rate;
  using typename Base::W;
  using Motion = typename M::Motion;
  using Force = NonIdealSizes<M>;
  using D = Dual<X, 1>;
  static constexpr int count = Dim<M>::sensitivities;

  /// A direction: a change of the state, and of the time, or of the variable of column `own` if it is not negative.
  struct Way {
    Q q;
    W w;
    X t;
    int own;
  };
  /// Derivatives of the rate along a direction.
  struct Along {
    Way way;
    Q q_dot;
    W w_dot;
    Vec<X, Motion::known> known;
    Vec<X, Force::known> force;  ///< of the inputs of C
  };

  /// Sets the state, after an evaluation of its rate, and computes the derivatives along the columns:
  /// `of_columns[column]`. `own(column)`: see Way.
  template <class Own>
  KALABA_NOINLINE void begin(const Rate& evaluated, const Method& method, const P& parameters, const X& time,
                             const State<X, nq, n>& state, const Columns<M, X>& columns, const Own& own) {
    rate = evaluated;
    p = parameters;
    lifted = constants<D>(p);
    t = time;
    at = state;
    const auto motion = Base::motion_of(rate);
    known = Base::known(method, motion);
    kept = Motion::keep(p, t, at.q, at.w, known);
    if constexpr (ModelParts<M>::has_non_ideal) {
      force_known = Base::force_known(rate, motion);
      kept_force = M::NonIdeal::keep(p, t, at.q, at.w, force_known);
    }
    for (int column = 0; column < count; ++column) {
      Way way;
      straight<nq>([&](int i) KALABA_LAMBDA { way.q[i] = columns.q[column * nq + i]; });
      straight<n>([&](int i) KALABA_LAMBDA { way.w[i] = columns.w[column * n + i]; });
      way.t = X(0);
      way.own = own(column);
      first(way, of_columns[column]);
      // R_x along x_v
      of_multipliers[column] =
          Motion::keep(lifted, D(t), constants<D>(at.q), constants<D>(at.w), moved(known, of_columns[column].known));
    }
  }

  /// Sets the direction u: a change of the state, and of the time.
  KALABA_NOINLINE void turn(const State<X, nq, n>& along, const X& along_time) {
    first({along.q, along.w, along_time, -1}, of_direction);
    D time(t);
    time.slope[0] = along_time;
    const Vec<D, nq> q = moved(at.q, along.q);
    const Vec<D, n> w = moved(at.w, along.w);
    bent = Motion::keep(lifted, time, q, w, moved(known, of_direction.known));
    if constexpr (ModelParts<M>::has_non_ideal) {
      bent_force = M::NonIdeal::keep(lifted, time, q, w, moved(force_known, of_direction.force));
    }
  }

  /// Second derivatives of the rate along u and a column.
  KALABA_NOINLINE void along(int column, Q& q_dot, W& w_dot) {
    const Along& v = of_columns[column];
    const auto one = slopes<Motion>(lifted, bent, v.way, static_cast<const D*>(nullptr));
    const auto other = slopes<Motion>(lifted, of_multipliers[column], of_direction.way, static_cast<const D*>(nullptr));
    Vec<X, Motion::rows> second;
    for (int i = 0; i < Motion::rows; ++i) second[i] = one[i].slope[0] + other[i].slope[0];
    W weighted;
    if constexpr (ModelParts<M>::has_non_ideal) {
      Vec<X, Force::known> inputs;
      const W given = Base::given_with(rate, second, inputs, [&]() KALABA_LAMBDA {
        const Vec<D, Force::known> dx = moved(v.force, inputs);
        const auto bends = slopes<typename M::NonIdeal>(lifted, bent_force, v.way, dx.data);
        W change;
        for (int i = 0; i < n; ++i) change[i] = bends[i].slope[0];
        return change;
      });
      w_dot = Base::solve_given(rate, second, given, weighted);
    } else {
      w_dot = Base::solve(rate, second, Base::given_of(second), weighted);
    }
    for (int i = 0; i < nq; ++i) q_dot[i] = Base::turns ? second[i] : X(0);
  }

  Along of_columns[count];

 private:
  Rate rate;
  P p;
  Prepared<M, D> lifted;
  X t;
  State<X, nq, n> at;
  Vec<X, Motion::known> known;
  Vec<X, Motion::kept> kept;
  Vec<X, Force::known> force_known;
  Vec<X, Force::kept> kept_force;
  Vec<D, Motion::kept> of_multipliers[count];
  Along of_direction;
  Vec<D, Motion::kept> bent;
  Vec<D, Force::kept> bent_force;

  /// x + e v, with e^2 = 0
  template <int Size>
  KALABA_FN static Vec<D, Size> moved(const Vec<X, Size>& x, const Vec<X, Size>& v) {
    Vec<D, Size> result = constants<D>(x);
    for (int i = 0; i < Size; ++i) result[i].slope[0] = v[i];
    return result;
  }

  /// Slopes of a group's formulas along a direction, in numbers of any kind.
  template <class Group, class C, class N, int Kept>
  KALABA_FN static Vec<N, Group::rows> slopes(const C& parameters, const Vec<N, Kept>& of, const Way& way,
                                              const N* dx) {
    const Vec<N, nq> dq = constants<N>(way.q);
    const Vec<N, n> dw = constants<N>(way.w);
    Vec<N, Group::rows> result = Group::along(parameters, of, dq.data, dw.data, dx);
    if (way.own >= 0) {
      Group::add_own(way.own, parameters, of, result);
    } else {
      Vec<N, Group::rows> in_time;
      for (int i = 0; i < Group::rows; ++i) in_time[i] = N(X(0));
      Group::add_own(count, parameters, of, in_time);
      for (int i = 0; i < Group::rows; ++i) result[i] = result[i] + in_time[i] * way.t;
    }
    return result;
  }

  KALABA_FN void first(const Way& way, Along& result) {
    const auto found = slopes<Motion>(p, kept, way, static_cast<const X*>(nullptr));
    result.way = way;
    W weighted;
    W given = Base::given_of(found);
    if constexpr (ModelParts<M>::has_non_ideal) {
      given = Base::given_with(rate, found, result.force, [&]() KALABA_LAMBDA {
        return slopes<typename M::NonIdeal>(p, kept_force, way, result.force.data);
      });
      result.w_dot = Base::solve_given(rate, found, given, weighted);
    } else {
      result.w_dot = Base::solve(rate, found, given, weighted);
    }
    for (int i = 0; i < nq; ++i) result.q_dot[i] = Base::turns ? found[i] : way.w[i];
    find_known(found, given, result);
  }

  /// Derivatives of what SolvedMotion::known gives, along the direction of these slopes.
  template <int Rows>
  KALABA_FN void find_known(const Vec<X, Rows>& found, const W& given, Along& result) {
    constexpr int beside = momenta ? n : 0;
    for (int i = 0; i < Motion::known; ++i) result.known[i] = X(0);
    for (int i = 0; i < n; ++i) result.known[i] = result.w_dot[i];
    for (int i = 0; i < beside; ++i) result.known[n + i] = result.w_dot[i] - given[i];
    if constexpr (m > 0) {
      const auto& whole = [&]() KALABA_LAMBDA {
        if constexpr (ModelParts<M>::has_non_ideal) {
          return Base::with_given(found, given);
        } else {
          return found;
        }
      }();
      const typename Base::Effort effort = Base::multipliers_of(rate, whole, given);
      for (int i = 0; i < effort.size; ++i) result.known[n + beside + i] = effort[i];
    }
  }
};

/// RateCurvature if the run has sensitivities, else empty.
template <class M, class X, template <class, int, int> class InverseOf, bool Any = (Dim<M>::sensitivities > 0)>
struct RateCurvatureOf {};
template <class M, class X, template <class, int, int> class InverseOf>
struct RateCurvatureOf<M, X, InverseOf, true> : RateCurvature<M, X, InverseOf> {};

}  // namespace kalaba
