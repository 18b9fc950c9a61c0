#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// Two links on flexible joints, with a servo-constraint on the links' speeds [ZCZD section 8.3].
struct FlexibleManipulator {
  static constexpr const char* name = "flexible_manipulator";
  static constexpr const char* summary = "two-link arm with flexible joints, controlled to opposite link speeds";
  static constexpr const char* source = "Zhao, Chen, Zhao, Dong 2018, section 8.3 (eq. 66-72)";
  static constexpr const char* equations =
      "D q1'' + C q1' + G + K (q1 - q2) = u,  J q2'' = K (q1 - q2);  q1 the links, q2 the motors\n"
      "beta = link1' + link2' = 0, so that A = [1, 1] on the links and b = -kappa beta\n"
      "u = D^(1/2) (A D^(-1/2))+ [A D^-1 (C q1' + G + K (q1 - q2))] - D A^T (A A^T)^-1 kappa beta\n"
      "Here: the feedback -kappa beta in b and the non-ideal C = -D A^T (A A^T)^-1 kappa beta, which add up to u.";
  static constexpr const char* note =
      "Eq. 66 writes u in the motors' equation and eq. 71 q1 for K (q1 - q2); the law only does what figures 10 and\n"
      "11 show when it acts on the links, as here. c11 in eq. 68 has m1 for m2. kappa stands for the inverse of P.";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"m1", "kg", 1.0, "mass of the first link"},
                                            {"m2", "kg", 1.0, "mass of the second link"},
                                            {"l1", "m", 1.0, "length of the first link"},
                                            {"lc1", "m", 0.5, "mass centre of the first link"},
                                            {"lc2", "m", 0.5, "mass centre of the second link"},
                                            {"K1", "N m/rad", 1.0, "stiffness of the first joint"},
                                            {"K2", "N m/rad", 1.0, "stiffness of the second joint"},
                                            {"I1", "kg m^2", 1.0, "inertia of the first link"},
                                            {"I2", "kg m^2", 1.0, "inertia of the second link"},
                                            {"J1", "kg m^2", 1.0, "inertia of the first motor"},
                                            {"J2", "kg m^2", 1.0, "inertia of the second motor"},
                                            {"g", "m/s^2", 9.81, "gravity"},
                                            {"kappa", "1/s", 4.0, "feedback on beta"}};
  static constexpr Quantity coordinates[] = {{"link1", "rad", 0, "from hanging down"},
                                             {"link2", "rad", 0, "from the first link"},
                                             {"motor1", "rad"},
                                             {"motor2", "rad"}};
  static constexpr Quantity rates[] = {
      {"link1_dot", "rad/s"}, {"link2_dot", "rad/s"}, {"motor1_dot", "rad/s"}, {"motor2_dot", "rad/s"}};
  static constexpr Quantity nonholonomic[] = {{"opposite", "rad/s", 0, "the links' speeds are opposite"}};
  static constexpr TimeGrid time = {.end = 3, .dt = 1e-3, .save_every = 30};
  // The initial state violates the constraint intentionally; the control law brings the motion onto it.
  static constexpr Stabilization stabilization = Stabilization::none();
  static constexpr Invariant invariants[] = {
      {"beta", "rad/s", Invariance::free, "error of the constraint, beta(0) exp(-kappa t)"}};
  // The paper prints beta to four digits.
  static constexpr Figure figures[] = {
      {2, "beta", 3.019e-4, 5e-8},  {3, "link1", 0.19093416},       {3, "link2", 0.03406445},
      {3, "motor1", -0.00219566},   {3, "motor2", 0.42936998},      {3, "link1_dot", -0.4232204},
      {3, "link2_dot", 0.42322593}, {3, "motor1_dot", -0.03754158}, {3, "motor2_dot", 0.11983751}};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q& q, W& w) {
    for (int i = 0; i < 4; ++i) {
      q[i] = 0.0;
      w[i] = 0.0;
    }
    w[0] = 1.0;
    w[1] = -0.1;
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 4>& q) {
    const Links<X> d = links(p, q);
    const X zero(0.0);
    return Symmetric<X, 4>{{d.d11, d.d12, zero, zero,   //
                            d.d12, d.d22, zero, zero,   //
                            zero, zero, X(p[9]), zero,  //
                            zero, zero, zero, X(p[10])}};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 4> force(const P& p, const X&, const Vec<X, 4>& q, const Vec<X, 4>& w) {
    const auto& [m1, m2, l1, lc1, lc2, K1, K2, I1, I2, J1, J2, g, kappa] = p.data;
    const X h = sin(q[1]) * (m2 * l1 * lc2);
    const X coriolis1 = -h * w[1] * (w[0] * 2.0 + w[1]);
    const X coriolis2 = h * w[0] * w[0];
    const X weight2 = sin(q[0] + q[1]) * (m2 * lc2 * g);
    const X weight1 = sin(q[0]) * ((m1 * lc1 + m2 * l1) * g) + weight2;
    const X spring1 = (q[0] - q[2]) * K1;
    const X spring2 = (q[1] - q[3]) * K2;
    return {-(coriolis1 + weight1 + spring1), -(coriolis2 + weight2 + spring2), spring1, spring2};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> psi(const P&, const X&, const Vec<X, 4>&, const Vec<X, 4>& w) {
    return {w[0] + w[1]};
  }

  template <class P>
  KALABA_FN static auto gain(const P& p) {
    return p[12];
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 4> non_ideal(const P& p, const X&, const Vec<X, 4>& q, const Vec<X, 4>& w, const Vec<X, 4>&) {
    const Links<X> d = links(p, q);
    const X rate = (w[0] + w[1]) * (p[12] * -0.5);
    return {(d.d11 + d.d12) * rate, (d.d12 + d.d22) * rate, X(0.0), X(0.0)};
  }

  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X&, const Vec<X, 4>& q, const Vec<X, 4>& w) {
    const auto& [m1, m2, l1, lc1, lc2, K1, K2, I1, I2, J1, J2, g, kappa] = p.data;
    const Links<X> d = links(p, q);
    const X twist1 = q[0] - q[2];
    const X twist2 = q[1] - q[3];
    const X moving = d.d11 * w[0] * w[0] + d.d12 * w[0] * w[1] * 2.0 + d.d22 * w[1] * w[1];
    const X turning = w[2] * w[2] * J1 + w[3] * w[3] * J2;
    const X springs = twist1 * twist1 * K1 + twist2 * twist2 * K2;
    const X weight = cos(q[0]) * ((m1 * lc1 + m2 * l1) * g) + cos(q[0] + q[1]) * (m2 * lc2 * g);
    return (moving + turning + springs) * 0.5 - weight;
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> invariant(const P&, const X&, const Vec<X, 4>&, const Vec<X, 4>& w) {
    return {w[0] + w[1]};
  }

 private:
  template <class X>
  struct Links {
    X d11;
    X d12;
    X d22;
  };

  /// Inertia matrix D of the links.
  template <class P, class X>
  KALABA_FN static Links<X> links(const P& p, const Vec<X, 4>& q) {
    const auto& [m1, m2, l1, lc1, lc2, K1, K2, I1, I2, J1, J2, g, kappa] = p.data;
    const auto second = m2 * lc2 * lc2 + I2;
    const X coupled = cos(q[1]) * (m2 * l1 * lc2);
    return {coupled + coupled + (m2 * l1 * l1 + m1 * lc1 * lc1 + I1 + second), coupled + second, X(second)};
  }
};

}  // namespace kalaba
