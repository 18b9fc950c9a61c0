#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// Andrews' squeezing mechanism: seven bodies, six loop equations, one motor [IVP Test Set].
struct AndrewsSqueezer {
  static constexpr const char* name = "andrews_squeezer";
  static constexpr const char* summary = "Andrews' squeezing mechanism: seven bodies, three loops, a motor";
  static constexpr const char* source =
      "Test Set for Initial Value Problem Solvers, Andrews' squeezing mechanism; Schiehlen 1990";
  static constexpr const char* equations =
      "P = (rr cos beta - d cos(beta + Theta), rr sin beta - d sin(beta + Theta)), where bodies 2, 3, 4 and 6 meet\n"
      "phi1,2 = P - (ss sin gamma, -ss cos gamma) - (xb, yb) = 0\n"
      "phi3,4 = P - (e sin(Phi + delta) + zt cos delta, -e cos(Phi + delta) + zt sin delta) - (xa, ya) = 0\n"
      "phi5,6 = P - (zf cos(Omega + epsilon) + u sin epsilon, zf sin(Omega + epsilon) - u cos epsilon) - (xa, ya) = 0\n"
      "A constant torque on beta; a spring of stiffness c0 from (xc, yc) to body 3.";
  static constexpr const char* note =
      "The published state at 0.03 s is good to about 1.4e-9 in beta and Theta: a converged run gives 15.8107711951537 "
      "and -15.7563710584118.";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"m1", "kg", 0.04325, "mass of body 1, the crank"},
                                            {"m2", "kg", 0.00365},
                                            {"m3", "kg", 0.02373},
                                            {"m4", "kg", 0.00706},
                                            {"m5", "kg", 0.07050},
                                            {"m6", "kg", 0.00706},
                                            {"m7", "kg", 0.05498},
                                            {"I1", "kg m^2", 2.194e-6, "moment of inertia of body 1"},
                                            {"I2", "kg m^2", 4.410e-7},
                                            {"I3", "kg m^2", 5.255e-6},
                                            {"I4", "kg m^2", 5.667e-7},
                                            {"I5", "kg m^2", 1.169e-5},
                                            {"I6", "kg m^2", 5.667e-7},
                                            {"I7", "kg m^2", 1.912e-5},
                                            {"xa", "m", -0.06934, "fixed point A"},
                                            {"ya", "m", -0.00227},
                                            {"xb", "m", -0.03635, "fixed point B"},
                                            {"yb", "m", 0.03273},
                                            {"xc", "m", 0.014, "fixed point C, of the spring"},
                                            {"yc", "m", 0.072},
                                            {"d", "m", 0.028, "length of body 2"},
                                            {"da", "m", 0.0115, "its mass centre"},
                                            {"e", "m", 0.02, "length of body 4"},
                                            {"ea", "m", 0.01421, "its mass centre"},
                                            {"rr", "m", 0.007, "length of body 1"},
                                            {"ra", "m", 0.00092, "its mass centre"},
                                            {"ss", "m", 0.035, "length of body 3"},
                                            {"sa", "m", 0.01874, "its mass centre"},
                                            {"sb", "m", 0.01043},
                                            {"sc", "m", 0.018, "where the spring holds body 3"},
                                            {"sd", "m", 0.02},
                                            {"ta", "m", 0.02308, "mass centre of body 5"},
                                            {"tb", "m", 0.00916},
                                            {"u", "m", 0.04, "length of body 7"},
                                            {"ua", "m", 0.01228, "its mass centre"},
                                            {"ub", "m", 0.00449},
                                            {"zf", "m", 0.02, "length of body 6"},
                                            {"fa", "m", 0.01421, "its mass centre"},
                                            {"zt", "m", 0.04, "length of body 5"},
                                            {"c0", "N/m", 4530.0, "stiffness of the spring"},
                                            {"l0", "m", 0.07785, "its length at rest"},
                                            {"torque", "N m", 0.033, "of the motor"}};
  static constexpr Quantity coordinates[] = {{"beta", "rad", 0, "crank"},
                                             {"Theta", "rad"},
                                             {"gamma", "rad"},
                                             {"Phi", "rad"},
                                             {"delta", "rad"},
                                             {"Omega", "rad"},
                                             {"epsilon", "rad"}};
  static constexpr Quantity rates[] = {{"beta_dot", "rad/s"},   {"Theta_dot", "rad/s"}, {"gamma_dot", "rad/s"},
                                       {"Phi_dot", "rad/s"},    {"delta_dot", "rad/s"}, {"Omega_dot", "rad/s"},
                                       {"epsilon_dot", "rad/s"}};
  static constexpr Quantity holonomic[] = {{"loop3_x", "m", 0, "bodies 1, 2 and 3 reach B"},    {"loop3_y", "m"},
                                           {"loop5_x", "m", 0, "bodies 1, 2, 4 and 5 reach A"}, {"loop5_y", "m"},
                                           {"loop7_x", "m", 0, "bodies 1, 2, 6 and 7 reach A"}, {"loop7_y", "m"}};
  static constexpr TimeGrid time = {.end = 0.03, .dt = 1e-5, .save_every = 50};
  // Tolerances are the accuracy of the published figures (see note); steps of 0.01 ms are within 2e-10 of the converged
  // run.
  static constexpr Figure figures[] = {
      {0.03, "beta", 15.81077119629904, 2e-9},     {0.03, "Theta", -15.75637105984298, 2e-9},
      {0.03, "gamma", 0.04082224013073101, 1e-10}, {0.03, "Phi", -0.5347301163226948, 1e-10},
      {0.03, "delta", 0.5244099658805304, 1e-10},  {0.03, "Omega", 0.5347301163226948, 1e-10},
      {0.03, "epsilon", 1.048080741042263, 1e-10}};

  /// Constants that depend on parameters only. The entries of the mass matrix are these plus the coupling terms of a
  /// pair of joined bodies.
  template <class X>
  struct Constants {
    X crank, two, three, four, five, six, seven;  ///< moments of inertia
    X swing2, swing4, swing6;                     ///< coupling coefficients of cos Theta, sin Phi, sin Omega
    X xa, ya, xb, yb, xc, yc, d, e, rr, ss, sc, sd, u, zf, zt, c0, l0, torque;
  };

  template <class X>
  KALABA_FN static Constants<X> prepare(const Vec<X, 42>& p) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, I1, I2, I3, I4, I5, I6, I7, xa, ya, xb, yb, xc, yc, d, da, e, ea, rr, ra,
                 ss, sa, sb, sc, sd, ta, tb, u, ua, ub, zf, fa, zt, c0, l0, torque] = p.data;
    const X e4 = e - ea;
    const X f6 = zf - fa;
    const X two = m2 * da * da + I2;
    const X four = m4 * e4 * e4 + I4;
    const X six = m6 * f6 * f6 + I6;
    Constants<X> c;
    c.crank = m1 * ra * ra + I1 + m2 * rr * rr + two;
    c.two = two;
    c.three = m3 * (sa * sa + sb * sb) + I3;
    c.four = four;
    c.five = four + m4 * zt * zt + m5 * (ta * ta + tb * tb) + I5;
    c.six = six;
    c.seven = six + m6 * u * u + m7 * (ua * ua + ub * ub) + I7;
    c.swing2 = m2 * da * rr;
    c.swing4 = m4 * zt * e4;
    c.swing6 = m6 * u * f6;
    c.xa = xa;
    c.ya = ya;
    c.xb = xb;
    c.yb = yb;
    c.xc = xc;
    c.yc = yc;
    c.d = d;
    c.e = e;
    c.rr = rr;
    c.ss = ss;
    c.sc = sc;
    c.sd = sd;
    c.u = u;
    c.zf = zf;
    c.zt = zt;
    c.c0 = c0;
    c.l0 = l0;
    c.torque = torque;
    return c;
  }

  /// Initial state of the Test Set, which closes the loops for the default lengths.
  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q& q, W& w) {
    q[0] = -0.0617138900142764496358948458001;
    q[1] = 0.0;
    q[2] = 0.455279819163070380255912382449;
    q[3] = 0.222668390165885884674473185609;
    q[4] = 0.487364979543842550225598953530;
    q[5] = -0.222668390165885884674473185609;
    q[6] = 1.23054744454982119249735015568;
    for (int i = 0; i < 7; ++i) w[i] = 0.0;
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 7>& q) {
    const X swing2 = p.swing2 * cos(q[1]);
    const X swing4 = p.swing4 * sin(q[3]);
    const X swing6 = p.swing6 * sin(q[5]);
    Symmetric<X, 7> mass;
    for (int i = 0; i < 7; ++i) {
      for (int j = 0; j <= i; ++j) mass.entry(i, j) = X(0.0);
    }
    mass.entry(0, 0) = p.crank - 2.0 * swing2;
    mass.entry(1, 0) = p.two - swing2;
    mass.entry(1, 1) = X(p.two);
    mass.entry(2, 2) = X(p.three);
    mass.entry(3, 3) = X(p.four);
    mass.entry(4, 3) = p.four + swing4;
    mass.entry(4, 4) = p.five + 2.0 * swing4;
    mass.entry(5, 5) = X(p.six);
    mass.entry(6, 5) = p.six - swing6;
    mass.entry(6, 6) = p.seven - 2.0 * swing6;
    return mass;
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 7> force(const P& p, const X&, const Vec<X, 7>& q, const Vec<X, 7>& w) {
    const Spring<X> spring = spring_at(p, q[2]);
    const X pull = p.c0 * (p.l0 / spring.length - 1.0);
    const X gyro2 = p.swing2 * sin(q[1]);
    const X gyro4 = p.swing4 * cos(q[3]);
    const X gyro6 = p.swing6 * cos(q[5]);
    return {p.torque - gyro2 * w[1] * (w[1] + 2.0 * w[0]),
            gyro2 * w[0] * w[0],
            pull * (spring.y * spring.arm_x - spring.x * spring.arm_y),
            gyro4 * w[4] * w[4],
            -gyro4 * w[3] * (w[3] + 2.0 * w[4]),
            -gyro6 * w[6] * w[6],
            gyro6 * w[5] * (w[5] + 2.0 * w[6])};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 6> phi(const P& p, const X&, const Vec<X, 7>& q) {
    const X x = p.rr * cos(q[0]) - p.d * cos(q[0] + q[1]);
    const X y = p.rr * sin(q[0]) - p.d * sin(q[0] + q[1]);
    return {x - p.ss * sin(q[2]) - p.xb,
            y + p.ss * cos(q[2]) - p.yb,
            x - p.e * sin(q[3] + q[4]) - p.zt * cos(q[4]) - p.xa,
            y + p.e * cos(q[3] + q[4]) - p.zt * sin(q[4]) - p.ya,
            x - p.zf * cos(q[5] + q[6]) - p.u * sin(q[6]) - p.xa,
            y - p.zf * sin(q[5] + q[6]) + p.u * cos(q[6]) - p.ya};
  }

  /// Energy minus the work of the motor, which is constant.
  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X& t, const Vec<X, 7>& q, const Vec<X, 7>& w) {
    const auto mass = metric(p, t, q);
    const X stretch = spring_at(p, q[2]).length - p.l0;
    X sum = p.c0 * stretch * stretch;
    for (int i = 0; i < 7; ++i) {
      sum = sum + mass.entry(i, i) * w[i] * w[i];
      for (int j = 0; j < i; ++j) sum = sum + 2.0 * mass.entry(i, j) * w[i] * w[j];
    }
    return sum * 0.5 - p.torque * q[0];
  }

 private:
  /// Force of the spring from C, and the lever arm of its end about B.
  template <class X>
  struct Spring {
    X x, y, length, arm_x, arm_y;
  };

  template <class P, class X>
  KALABA_FN static Spring<X> spring_at(const P& p, const X& gamma) {
    const X c = cos(gamma);
    const X s = sin(gamma);
    const X arm_x = p.sd * c + p.sc * s;
    const X arm_y = p.sd * s - p.sc * c;
    const X x = arm_x + p.xb - p.xc;
    const X y = arm_y + p.yb - p.yc;
    return {x, y, sqrt(x * x + y * y), arm_x, arm_y};
  }
};

}  // namespace kalaba
