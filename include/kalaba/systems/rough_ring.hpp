#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// A bead on a vertical ring with Coulomb friction: a constraint force that does work [UK02].
///
/// With T the tangential given force and v the tangential speed, friction is -(T + m v / tau) within the cone |.| <= mu
/// |Qci|, and on its edge outside. For |v| > tau (|T| + mu |Qci|) / m this is exactly Coulomb's law; at lower speed, a
/// bead that friction can hold comes to rest as exp(-t / tau) and remains there, without creep and without chatter.
struct RoughRing {
  static constexpr const char* name = "rough_ring";
  static constexpr const char* summary = "bead on a rough vertical ring: Coulomb friction, with sticking";
  static constexpr const char* source = "Udwadia, Kalaba 2002 (eq. 32)";
  static constexpr const char* equations =
      "m q'' = (0, -m g) + Qci + Qcni\n"
      "phi = (|q|^2 - R^2) / 2 = 0, so that A = q^T and b = -|q'|^2\n"
      "C = -mu |Qci| q' / |q'| in motion; at rest C balances the given force up to mu |Qci|";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {
      {"m", "kg", 1.0, "mass of the bead"},
      {"R", "m", 1.0, "radius of the ring"},
      {"mu", "", 0.2, "coefficient of friction"},
      {"g", "m/s^2", 9.81, "gravity"},
      {"stick_rate", "1/s", 1000.0, "1 / tau: how fast a held bead comes to rest; dt must stay below 2.7 tau"}};
  static constexpr Quantity coordinates[] = {{"x", "m"}, {"y", "m", 0, "up"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}, {"y_dot", "m/s"}};
  static constexpr Quantity holonomic[] = {{"ring", "m^2", 0, "the bead stays at distance R"}};
  // |Qci| has a kink where the normal force of the ring changes sign, which reduces the order of RK4 there.
  static constexpr TimeGrid time = {.end = 0.5, .dt = 1e-4, .save_every = 100};
  static constexpr Invariant invariants[] = {{"angle", "rad", Invariance::free, "from the lowest point"},
                                             {"angle_dot", "rad/s", Invariance::free, "its rate"}};
  static constexpr Figure figures[] = {{0.5, "angle", 1.78360007}, {0.5, "angle_dot", 0.26863022}};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    const auto& R = p[1];
    q[0] = R * sin(0.3);
    q[1] = R * -cos(0.3);
    w[0] = R * (6.0 * cos(0.3));
    w[1] = R * (6.0 * sin(0.3));
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 2>&) {
    return Diagonal<X, 2>{{X(p[0]), X(p[0])}};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 2> force(const P& p, const X&, const Vec<X, 2>&, const Vec<X, 2>&) {
    const auto& [m, R, mu, g, stick_rate] = p.data;
    return {X(0.0), X(-m * g)};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> phi(const P& p, const X&, const Vec<X, 2>& q) {
    return {(dot(q, q) - p[1] * p[1]) * 0.5};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 2> non_ideal(const P& p, const X& t, const Vec<X, 2>& q, const Vec<X, 2>& w,
                                       const Vec<X, 2>& ideal_force) {
    const auto& [m, R, mu, g, stick_rate] = p.data;
    const X radius = sqrt(dot(q, q));
    const Vec<X, 2> along{-q[1] / radius, q[0] / radius};
    const X holding = dot(force(p, t, q, w), along) + dot(w, along) * (m * stick_rate);
    const X limit = sqrt(dot(ideal_force, ideal_force)) * mu;
    const X friction = -max_of(-limit, min_of(holding, limit));
    return {along[0] * friction, along[1] * friction};
  }

  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X&, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    const auto& [m, R, mu, g, stick_rate] = p.data;
    return dot(w, w) * (0.5 * m) + q[1] * (m * g);
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 2> invariant(const P&, const X&, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    return {atan2(q[0], -q[1]), (q[0] * w[1] - q[1] * w[0]) / dot(q, q)};
  }
};

}  // namespace kalaba
