#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// Two rigid bodies whose angular velocities stay perpendicular [RH section 7].
///
/// A quaternion represents the attitude by its direction only: its norm, which q' preserves and RK4 lets drift at its
/// own order, scales psi by a constant and does not affect the motion.
struct PerpendicularSpins {
  static constexpr const char* name = "perpendicular_spins";
  static constexpr const char* summary = "two rigid bodies with perpendicular angular velocities, quaternions";
  static constexpr const char* source = "Roithmayr, Hodges, section 7";
  static constexpr const char* equations =
      "a' = a * (0, w_A) / 2, b' = b * (0, w_B) / 2; spins and inertias in body axes, torques in inertial axes\n"
      "Theta = diag(I_A, I_B), F - L = (R_A^T T_A - w_A x I_A w_A, R_B^T T_B - w_B x I_B w_B)\n"
      "psi = (R_A w_A) . (R_B w_B) = 0, so that A in inertial spins is [w_B, w_A], and b = 0 there";
  static constexpr Formulation formulation = Formulation::kane;
  static constexpr Quantity parameters[] = {
      {"Iax", "kg m^2", 1.0, "inertia of A"}, {"Iay", "kg m^2", 2.0, "inertia of A"},
      {"Iaz", "kg m^2", 3.0, "inertia of A"}, {"Ibx", "kg m^2", 2.0, "inertia of B"},
      {"Iby", "kg m^2", 1.5, "inertia of B"}, {"Ibz", "kg m^2", 1.0, "inertia of B"},
      {"Tax", "N m", 0.1, "torque on A"},     {"Tay", "N m", 0.0, "torque on A"},
      {"Taz", "N m", 0.2, "torque on A"},     {"Tbx", "N m", 0.0, "torque on B"},
      {"Tby", "N m", 0.3, "torque on B"},     {"Tbz", "N m", 0.0, "torque on B"}};
  static constexpr Quantity coordinates[] = {
      {"a0", "", 0, "attitude of A, scalar part"}, {"a1", ""}, {"a2", ""}, {"a3", ""},
      {"b0", "", 0, "attitude of B, scalar part"}, {"b1", ""}, {"b2", ""}, {"b3", ""}};
  static constexpr Quantity rates[] = {{"wax", "rad/s"}, {"way", "rad/s"}, {"waz", "rad/s"},
                                       {"wbx", "rad/s"}, {"wby", "rad/s"}, {"wbz", "rad/s"}};
  static constexpr Quantity nonholonomic[] = {{"perpendicular", "rad^2/s^2", 0, "the spins stay perpendicular"}};
  static constexpr TimeGrid time = {.end = 5, .dt = 1e-3, .save_every = 50};
  static constexpr Invariant invariants[] = {{"norm_a", "", Invariance::constant, "|a|^2"},
                                             {"norm_b", "", Invariance::constant, "|b|^2"}};
  static constexpr Figure figures[] = {{5, "a0", -0.15607889},  {5, "a1", -0.2875564},  {5, "a2", 0.21091703},
                                       {5, "a3", 0.92112144},   {5, "b0", 0.06320028},  {5, "b1", 0.73757089},
                                       {5, "b2", 0.19986519},   {5, "b3", -0.64191028}, {5, "wax", -1.11729711},
                                       {5, "way", 0.21625052},  {5, "waz", 0.54239752}, {5, "wbx", 0.64307639},
                                       {5, "wby", -0.10517511}, {5, "wbz", -0.58728583}};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q& q, W& w) {
    for (int i = 0; i < 8; ++i) q[i] = i % 4 == 0 ? 1.0 : 0.0;
    w[0] = 0.3;
    w[1] = 0.5;
    w[2] = 0.2;
    w[3] = 0.5;
    w[4] = -0.3;
    w[5] = 0.0;
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 8>&) {
    return Diagonal<X, 6>{{X(p[0]), X(p[1]), X(p[2]), X(p[3]), X(p[4]), X(p[5])}};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 6> force(const P& p, const X&, const Vec<X, 8>& q, const Vec<X, 6>& w) {
    Vec<X, 6> moment;
    for (int k = 0; k < 6; k += 3) {
      const Vec<X, 4> body = attitude(q, k);
      const Vec<X, 4> inverse{-body[0], body[1], body[2], body[3]};
      const Vec<X, 3> torque = turned(inverse, {X(p[6 + k]), X(p[7 + k]), X(p[8 + k])});
      const X scale = 1.0 / dot(body, body);
      moment[k] = torque[0] * scale + w[k + 1] * w[k + 2] * (p[k + 1] - p[k + 2]);
      moment[k + 1] = torque[1] * scale + w[k + 2] * w[k] * (p[k + 2] - p[k]);
      moment[k + 2] = torque[2] * scale + w[k] * w[k + 1] * (p[k] - p[k + 1]);
    }
    return moment;
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 8> velocity(const P&, const X&, const Vec<X, 8>& q, const Vec<X, 6>& w) {
    Vec<X, 8> rate;
    for (int k = 0; k < 2; ++k) {
      const Vec<X, 4> body = attitude(q, 3 * k);
      const auto& [s, x, y, z] = body.data;
      const X wx = w[3 * k] * 0.5;
      const X wy = w[3 * k + 1] * 0.5;
      const X wz = w[3 * k + 2] * 0.5;
      rate[4 * k] = -(x * wx + y * wy + z * wz);
      rate[4 * k + 1] = s * wx + y * wz - z * wy;
      rate[4 * k + 2] = s * wy + z * wx - x * wz;
      rate[4 * k + 3] = s * wz + x * wy - y * wx;
    }
    return rate;
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> psi(const P&, const X&, const Vec<X, 8>& q, const Vec<X, 6>& w) {
    return {dot(turned(attitude(q, 0), {w[0], w[1], w[2]}), turned(attitude(q, 3), {w[3], w[4], w[5]}))};
  }

  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X&, const Vec<X, 8>&, const Vec<X, 6>& w) {
    X twice = w[0] * w[0] * p[0];
    for (int i = 1; i < 6; ++i) twice = twice + w[i] * w[i] * p[i];
    return twice * 0.5;
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 2> invariant(const P&, const X&, const Vec<X, 8>& q, const Vec<X, 6>&) {
    return {dot(attitude(q, 0), attitude(q, 0)), dot(attitude(q, 3), attitude(q, 3))};
  }

 private:
  /// Quaternion of the body whose first rate is w[first]: 0 for A, 3 for B.
  template <class X>
  KALABA_FN static Vec<X, 4> attitude(const Vec<X, 8>& q, int first) {
    const int i = first / 3 * 4;
    return {q[i], q[i + 1], q[i + 2], q[i + 3]};
  }

  /// |a|^2 R v, with R the attitude of quaternion a.
  template <class X>
  KALABA_FN static Vec<X, 3> turned(const Vec<X, 4>& a, const Vec<X, 3>& v) {
    const auto& [s, x, y, z] = a.data;
    const X scale = s * s - x * x - y * y - z * z;
    const X along = (x * v[0] + y * v[1] + z * v[2]) * 2.0;
    const X twice = s * 2.0;
    return {scale * v[0] + along * x + twice * (y * v[2] - z * v[1]),
            scale * v[1] + along * y + twice * (z * v[0] - x * v[2]),
            scale * v[2] + along * z + twice * (x * v[1] - y * v[0])};
  }
};

}  // namespace kalaba
