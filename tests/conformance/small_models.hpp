#pragma once

#include "kalaba/core/model/model.hpp"

// Small systems that cause one behaviour of a backend each: valid ones with a known solution, and invalid ones.

namespace kalaba::conformance {

/// Free particle in the plane: no force, no constraint.
struct Plane {
  static constexpr const char* name = "plane";
  static constexpr const char* summary = "a particle in the plane";
  static constexpr const char* source = "test";
  static constexpr const char* equations = "m r'' = 0";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"m", "kg", 1.0}, {"limit", "", 1.0}};
  static constexpr Quantity coordinates[] = {{"x", "m"}, {"y", "m"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}, {"y_dot", "m/s"}};
  static constexpr TimeGrid time = {.end = 1, .dt = 1.0 / 64};
  static constexpr Stabilization stabilization = Stabilization::none();

  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q& q, W& w) {
    q[0] = 0.0;
    q[1] = 0.0;
    w[0] = 1.0;
    w[1] = 2.0;
  }
  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 2>&) {
    return Diagonal<X, 2>{{X(p[0]), X(p[0])}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> force(const P&, const X&, const Vec<X, 2>&, const Vec<X, 2>&) {
    return {X(0.0), X(0.0)};
  }
};

/// m = 0 constraints: a parabola, for which RK4 is exact.
struct Projectile : Plane {
  template <class P, class X>
  KALABA_FN static Vec<X, 2> force(const P& p, const X&, const Vec<X, 2>&, const Vec<X, 2>&) {
    return {X(0.0), X(-9.81 * p[0])};
  }
};

/// The force becomes NaN once t passes `limit`.
struct NanForce : Plane {
  template <class P, class X>
  KALABA_FN static Vec<X, 2> force(const P& p, const X& t, const Vec<X, 2>&, const Vec<X, 2>&) {
    return {sqrt(p[1] - t), X(0.0)};
  }
};

/// The inertia falls to zero when t reaches `limit`.
struct VanishingMass : Plane {
  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X& t, const Vec<X, 2>&) {
    return Symmetric<X, 2>{{X(1.0), X(0.0), X(0.0), p[1] - t}};
  }
};

/// x = 0 and x = 1 together: inconsistent.
struct TwoPlaces : Plane {
  static constexpr Quantity holonomic[] = {{"here", "m"}, {"there", "m"}};
  template <class P, class X>
  KALABA_FN static Vec<X, 2> phi(const P&, const X&, const Vec<X, 2>& q) {
    return {q[0], q[0] - 1.0};
  }
};

/// x' = 0 and x' = t together: both hold at t = 0, but A w' = b has no solution.
struct TwoAccelerations : Plane {
  static constexpr Quantity nonholonomic[] = {{"rest", "m/s"}, {"speeding", "m/s"}};
  template <class P, class X>
  KALABA_FN static Vec<X, 2> psi(const P&, const X& t, const Vec<X, 2>&, const Vec<X, 2>& w) {
    return {w[0], w[0] - t};
  }
};

/// x = sin u and x = cos(u - pi/2), u = pi + t: one constraint stated twice, whose b cancels to rounding.
struct SinesAtRest : Plane {
  static constexpr Quantity holonomic[] = {{"sine", "m"}, {"sine_again", "m"}};
  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q& q, W& w) {
    q[0] = 0.0;
    q[1] = 0.0;
    w[0] = -1.0;
    w[1] = 0.0;
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> phi(const P&, const X& t, const Vec<X, 2>& q) {
    const X u = t + 3.141592653589793;
    return {q[0] - sin(u), q[0] - cos(u - 1.5707963267948966)};
  }
};

/// x^2 + y^2 = -limit: no solution.
struct NowhereCircle : Plane {
  static constexpr Quantity holonomic[] = {{"circle", "m^2"}};
  template <class P, class X>
  KALABA_FN static Vec<X, 1> phi(const P& p, const X&, const Vec<X, 2>& q) {
    return {(q[0] - 0.3) * (q[0] - 0.3) + q[1] * q[1] + p[1]};
  }
};

/// Valid only while x < limit.
struct ShortTable : Plane {
  template <class P, class X>
  KALABA_FN static auto valid(const P& p, const X&, const Vec<X, 2>& q, const Vec<X, 2>&) {
    return q[0] < p[1];
  }
};

/// x' = 1 and (x - 1/2) y' = 0: the rank drops where x = 1/2.
struct SingularPose : Plane {
  static constexpr Quantity nonholonomic[] = {{"pace", "m/s"}, {"gate", "m^2/s"}};
  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    Plane::start(p, q, w);
    w[1] = 0.0;
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> psi(const P&, const X&, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    return {w[0] - 1.0, (q[0] - 0.5) * w[1]};
  }
};

/// x' = 0 along a rail, and a non-ideal force with a component across it.
struct PushedRail : Plane {
  static constexpr Quantity nonholonomic[] = {{"rail", "m/s"}};
  template <class P, class X>
  KALABA_FN static Vec<X, 1> psi(const P&, const X&, const Vec<X, 2>&, const Vec<X, 2>& w) {
    return {w[0]};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> non_ideal(const P&, const X&, const Vec<X, 2>&, const Vec<X, 2>&, const Vec<X, 2>&) {
    return {X(3.0), X(5.0)};
  }
};

/// y' = 2 enforced against gravity by an actuator along y, which fails at t = 1/2.
struct LostActuator : Projectile {
  static constexpr Quantity nonholonomic[] = {{"climb", "m/s"}};
  static constexpr int actuators = 1;
  template <class P, class X>
  KALABA_FN static Vec<X, 1> psi(const P&, const X&, const Vec<X, 2>&, const Vec<X, 2>& w) {
    return {w[1] - 2.0};
  }
  template <class P, class X>
  KALABA_FN static Mat<X, 2, 1> actuation(const P&, const X& t, const Vec<X, 2>&) {
    return {{X(0.0), select(t < X(0.5), X(1.0), X(0.0))}};
  }
};

/// No inertia along y, where the constraint y' = 2 replaces it: M is singular, [M; A] is not.
struct HalfMass : Plane {
  static constexpr bool singular_metric = true;
  static constexpr Quantity nonholonomic[] = {{"climb", "m/s"}};
  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 2>&) {
    return Diagonal<X, 2>{{X(p[0]), X(0.0)}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> force(const P& p, const X&, const Vec<X, 2>&, const Vec<X, 2>&) {
    return {X(3.0 * p[0]), X(0.0)};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 1> psi(const P&, const X&, const Vec<X, 2>&, const Vec<X, 2>& w) {
    return {w[1] - 2.0};
  }
};

/// A constraint that leaves y without inertia once t reaches `limit`: [M; A] loses its full rank.
struct UncoveredMass : Plane {
  static constexpr bool singular_metric = true;
  static constexpr Quantity nonholonomic[] = {{"pace", "m/s"}};
  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X& t, const Vec<X, 2>&) {
    return Symmetric<X, 2>{{X(0.0), X(0.0), X(0.0), max_of(p[1] - t, X(0.0))}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 1> psi(const P&, const X&, const Vec<X, 2>&, const Vec<X, 2>& w) {
    return {w[0] - 1.0};
  }
};

/// Quasi-velocities whose K depends on t and q, with a moving holonomic constraint: all terms of phi'' are nonzero.
struct MovingFrame : Plane {
  static constexpr Formulation formulation = Formulation::kane;
  static constexpr Quantity holonomic[] = {{"moving", ""}};
  template <class P, class X>
  KALABA_FN static Vec<X, 2> velocity(const P&, const X& t, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    return {t * w[0], q[0] * w[1]};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 1> phi(const P&, const X& t, const Vec<X, 2>& q) {
    return {q[0] * q[0] + t * q[1]};
  }
};

}  // namespace kalaba::conformance
