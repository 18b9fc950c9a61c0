#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// Two discs on an axle on an inclined plane: three constraints of rank two [U16 section 4.3].
struct TwoParticlesIncline {
  static constexpr const char* name = "two_particles_incline";
  static constexpr const char* summary = "two particles on a rod, velocities across it, on an incline; rank 2 of 3";
  static constexpr const char* source = "Udwadia 2016, section 4.3 (eq. 47-66)";
  static constexpr const char* equations =
      "H = |p1|^2 / 2 m1 + |p2|^2 / 2 m2 + g (m1 y1 + m2 y2) sin alpha\n"
      "phi  = (|d|^2 - L^2) / 2 = 0,  d = r1 - r2        (eq. 49)\n"
      "psi1 = d . p1 / m1 = 0,  psi2 = d . p2 / m2 = 0   (eq. 50, 51)\n"
      "The rows are dependent; the motion does not depend on m1, m2.";
  static constexpr Formulation formulation = Formulation::hamilton;
  static constexpr Quantity parameters[] = {{"m1", "kg", 1.0, "mass of the first particle"},
                                            {"m2", "kg", 2.0, "mass of the second particle"},
                                            {"L", "m", 1.0, "length of the rod"},
                                            {"alpha", "rad", 0.5, "slope of the plane"},
                                            {"g", "m/s^2", 9.81, "gravity"}};
  static constexpr Quantity coordinates[] = {{"x1", "m"}, {"y1", "m", 0, "up the slope"}, {"x2", "m"}, {"y2", "m"}};
  static constexpr Quantity rates[] = {{"p_x1", "kg m/s"}, {"p_y1", "kg m/s"}, {"p_x2", "kg m/s"}, {"p_y2", "kg m/s"}};
  static constexpr Quantity holonomic[] = {{"rod", "m^2", 0, "the particles stay at distance L"}};
  static constexpr Quantity nonholonomic[] = {{"across1", "m^2/s", 0, "v1 stays perpendicular to the rod"},
                                              {"across2", "m^2/s", 0, "v2 stays perpendicular to the rod"}};
  static constexpr TimeGrid time = {.end = 3, .dt = 1e-3, .save_every = 50};
  // Momenta of masses 1 and 2 for the velocities 2.97797955, 1.74166481, 3.49590517, 2.04457247.
  static constexpr Figure figures[] = {{3, "x1", 9.33298203},   {3, "y1", -0.86346099},  {3, "x2", 9.83782813},
                                       {3, "y2", -1.72667036},  {3, "p_x1", 2.97797955}, {3, "p_y1", 1.74166481},
                                       {3, "p_x2", 6.99181034}, {3, "p_y2", 4.08914494}};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    const auto& [m1, m2, L, alpha, g] = p.data;
    const auto c = cos(0.3);
    const auto s = sin(0.3);
    q[0] = L * c;
    q[1] = L * s;
    q[2] = 0.0;
    q[3] = 0.0;
    w[0] = m1 * -s;
    w[1] = m1 * c;
    w[2] = m2 * (-0.4 * s);
    w[3] = m2 * (0.4 * c);
  }

  template <class X>
  struct Constants {
    X inverse_m1, inverse_m2;
    X pull;  ///< g sin alpha
    X m1, m2, L;
  };
  template <class X>
  KALABA_FN static Constants<X> prepare(const Vec<X, 5>& p) {
    const auto& [m1, m2, L, alpha, g] = p.data;
    return {1.0 / m1, 1.0 / m2, g * sin(alpha), m1, m2, L};
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 4>&) {
    return Diagonal<X, 4>{{p.inverse_m1, p.inverse_m1, p.inverse_m2, p.inverse_m2}};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 4> force(const P& p, const X&, const Vec<X, 4>&, const Vec<X, 4>&) {
    return {X(0.0), X(-p.pull * p.m1), X(0.0), X(-p.pull * p.m2)};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 4> velocity(const P& p, const X&, const Vec<X, 4>&, const Vec<X, 4>& w) {
    return {w[0] * p.inverse_m1, w[1] * p.inverse_m1, w[2] * p.inverse_m2, w[3] * p.inverse_m2};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> phi(const P& p, const X&, const Vec<X, 4>& q) {
    const X dx = q[0] - q[2];
    const X dy = q[1] - q[3];
    return {(dx * dx + dy * dy - p.L * p.L) * 0.5};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 2> psi(const P& p, const X&, const Vec<X, 4>& q, const Vec<X, 4>& w) {
    const X dx = q[0] - q[2];
    const X dy = q[1] - q[3];
    return {(dx * w[0] + dy * w[1]) * p.inverse_m1, (dx * w[2] + dy * w[3]) * p.inverse_m2};
  }

  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X&, const Vec<X, 4>& q, const Vec<X, 4>& w) {
    const X kinetic =
        (w[0] * w[0] + w[1] * w[1]) * (0.5 * p.inverse_m1) + (w[2] * w[2] + w[3] * w[3]) * (0.5 * p.inverse_m2);
    return kinetic + (q[1] * p.m1 + q[3] * p.m2) * p.pull;
  }
};

}  // namespace kalaba
