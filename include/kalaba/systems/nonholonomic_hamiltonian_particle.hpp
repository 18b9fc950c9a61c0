#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// A free particle in canonical momenta with y' = z^2 x' [U16 section 4.2].
struct NonholonomicHamiltonianParticle {
  static constexpr const char* name = "nonholonomic_hamiltonian_particle";
  static constexpr const char* summary = "free particle with p_y = z^2 p_x, Hamiltonian form";
  static constexpr const char* source = "Udwadia 2016, section 4.2 (eq. 43-46)";
  static constexpr const char* equations =
      "H = |p|^2 / 2m\n"
      "psi = z^2 p_x - p_y = 0, so that A_p = [z^2, -1, 0] and b_p = -2 z p_x p_z / m\n"
      "p' = -2 z p_x p_z / (m (1 + z^4)) (z^2, -1, 0)";
  static constexpr Formulation formulation = Formulation::hamilton;
  static constexpr Quantity parameters[] = {{"m", "kg", 1.5, "mass"}};
  static constexpr Quantity coordinates[] = {{"x", "m"}, {"y", "m"}, {"z", "m"}};
  static constexpr Quantity rates[] = {{"p_x", "kg m/s"}, {"p_y", "kg m/s"}, {"p_z", "kg m/s"}};
  static constexpr Quantity nonholonomic[] = {{"slope", "kg m/s", 0, "the slope of the path in x, y is z^2 (z in m)"}};
  static constexpr TimeGrid time = {.end = 5, .dt = 1e-3, .save_every = 50};
  static constexpr Invariant invariants[] = {
      {"horizontal", "kg m/s", Invariance::constant, "p_x sqrt(1 + z^4), the momentum along the path in x, y"}};
  // Momenta from the known velocities.
  static constexpr Figure figures[] = {
      {5, "x", 2.66905571},         {5, "y", 3.88042276},         {5, "z", 2.5},
      {5, "p_x", 1.5 * 0.16285288}, {5, "p_y", 1.5 * 1.01783051}, {5, "p_z", 1.5 * 0.4}};

  template <class X>
  struct Constants {
    X inverse_mass;
  };
  template <class X>
  KALABA_FN static Constants<X> prepare(const Vec<X, 1>& p) {
    return {X(1.0) / p[0]};
  }

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    const auto& m = p[0];
    q[0] = 0.2;
    q[1] = -0.3;
    q[2] = 0.5;
    w[0] = m * 1.0;
    w[1] = m * 0.25;
    w[2] = m * 0.4;
  }

  template <class C, class X>
  KALABA_FN static auto metric(const C& c, const X&, const Vec<X, 3>&) {
    return Diagonal<X, 3>{{X(c.inverse_mass), X(c.inverse_mass), X(c.inverse_mass)}};
  }

  template <class C, class X>
  KALABA_FN static Vec<X, 3> force(const C&, const X&, const Vec<X, 3>&, const Vec<X, 3>&) {
    return {X(0.0), X(0.0), X(0.0)};
  }

  template <class C, class X>
  KALABA_FN static Vec<X, 3> velocity(const C& c, const X&, const Vec<X, 3>&, const Vec<X, 3>& w) {
    return {w[0] * c.inverse_mass, w[1] * c.inverse_mass, w[2] * c.inverse_mass};
  }

  template <class C, class X>
  KALABA_FN static Vec<X, 1> psi(const C&, const X&, const Vec<X, 3>& q, const Vec<X, 3>& w) {
    return {q[2] * q[2] * w[0] - w[1]};
  }

  template <class C, class X>
  KALABA_FN static X energy(const C& c, const X&, const Vec<X, 3>&, const Vec<X, 3>& w) {
    return dot(w, w) * (c.inverse_mass * 0.5);
  }

  template <class C, class X>
  KALABA_FN static Vec<X, 1> invariant(const C&, const X&, const Vec<X, 3>& q, const Vec<X, 3>& w) {
    const X slope = q[2] * q[2];
    return {w[0] * sqrt(slope * slope + X(1.0))};
  }
};

}  // namespace kalaba
