#pragma once

#include "kalaba/make_system.hpp"

namespace kalaba::stiff {

/// A point on a line that a stiff, strongly damped spring draws to a cos(omega t), its exact motion.
struct Follower {
  static constexpr const char* name = "follower";
  static constexpr const char* summary = "a spring and a damper hold a point at a cos(omega t)";
  static constexpr const char* source = "Prothero, Robinson 1974, of second order";
  static constexpr const char* equations = "x'' = -k (x - s) - c (x' - s') + s'', s = a cos(omega t)";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {
      {"k", "1/s^2", 1e6}, {"c", "1/s", 1e6}, {"a", "m", 1.0}, {"omega", "1/s", 1.0}};
  static constexpr Quantity coordinates[] = {{"x", "m"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}};
  static constexpr TimeGrid time = {.end = 2, .dt = 1.0 / 64, .save_every = 64};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    q[0] = p[2];
    w[0] = 0.0;
  }
  template <class P, class X>
  KALABA_FN static auto metric(const P&, const X&, const Vec<X, 1>&) {
    return Diagonal<X, 1>{{X(1.0)}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 1> force(const P& p, const X& t, const Vec<X, 1>& q, const Vec<X, 1>& w) {
    const X angle = p[3] * t;
    const X s = p[2] * cos(angle);
    return {(s - q[0]) * p[0] - (w[0] + p[2] * p[3] * sin(angle)) * p[1] - p[3] * p[3] * s};
  }
};

/// Van der Pol's oscillator with the data of Hairer and Wanner's VDPOL.
struct VanDerPol {
  static constexpr const char* name = "van_der_pol";
  static constexpr const char* summary = "relaxation oscillations";
  static constexpr const char* source = "Hairer, Wanner, Solving Ordinary Differential Equations II, section IV.10";
  static constexpr const char* equations = "eps x'' = (1 - x^2) x' - x";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"eps", "1", 1e-6}};
  static constexpr Quantity coordinates[] = {{"x", "1"}};
  static constexpr Quantity rates[] = {{"x_dot", "1/s"}};
  static constexpr TimeGrid time = {.end = 2, .dt = 1e-6, .save_every = 2000000};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q& q, W& w) {
    q[0] = 2.0;
    w[0] = 0.0;
  }
  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 1>&) {
    return Diagonal<X, 1>{{p[0]}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 1> force(const P&, const X&, const Vec<X, 1>& q, const Vec<X, 1>& w) {
    return {(X(1.0) - q[0] * q[0]) * w[0] - q[0]};
  }
};

/// x'' = k^2 x with x = exp(k t): I - h gamma J is singular for h gamma k = 1.
struct Unstable {
  static constexpr const char* name = "unstable";
  static constexpr const char* summary = "an exponential motion";
  static constexpr const char* source = "test";
  static constexpr const char* equations = "x'' = k^2 x";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"k", "1/s", 1.0}};
  static constexpr Quantity coordinates[] = {{"x", "m"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}};
  static constexpr TimeGrid time = {.end = 8, .dt = 1.0 / 64, .save_every = 512};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    q[0] = 1.0;
    w[0] = p[0];
  }
  template <class P, class X>
  KALABA_FN static auto metric(const P&, const X&, const Vec<X, 1>&) {
    return Diagonal<X, 1>{{X(1.0)}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 1> force(const P& p, const X&, const Vec<X, 1>& q, const Vec<X, 1>&) {
    return {p[0] * p[0] * q[0]};
  }
};

/// A force whose slope is infinite at the start x = start of members with start 0.
struct Steep {
  static constexpr const char* name = "steep";
  static constexpr const char* summary = "a force sqrt(x)";
  static constexpr const char* source = "test";
  static constexpr const char* equations = "x'' = sqrt(x)";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"start", "m", 1.0}};
  static constexpr Quantity coordinates[] = {{"x", "m"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}};
  static constexpr TimeGrid time = {.end = 1, .dt = 1.0 / 64, .save_every = 64};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    q[0] = p[0];
    w[0] = 0.0;
  }
  template <class P, class X>
  KALABA_FN static auto metric(const P&, const X&, const Vec<X, 1>&) {
    return Diagonal<X, 1>{{X(1.0)}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 1> force(const P&, const X&, const Vec<X, 1>& q, const Vec<X, 1>&) {
    return {sqrt(q[0])};
  }
};

/// Eight rods in a plane with stiff, damped joints; each rod is stated twice, so the rank is 8 of 16.
inline constexpr const char* chain_text = R"toml(
[model]
name = "stiff_chain"
summary = "eight rods with stiff, damped joints, each rod stated twice"
lagrangian = "sum(i in links: m*(x_dot[i]^2 + y_dot[i]^2)/2 - m*g*y[i] - kappa*(bx[i]^2 + by[i]^2)/2)"

[model.structure]
links = { default = 8, from = 8, to = 8 }

[model.parameters]
m = "1 kg"
L = "0.25 m"
g = "9.81 m/s^2"
kappa = "1e6 N/m"
eta = "1e4 N*s/m"

[model.coordinates]
"x[i in links]" = "m"
"y[i in links]" = "m"

[model.let]
"x[0]" = 0
"y[0]" = 0
"x_dot[0]" = 0
"y_dot[0]" = 0
"x[9]" = "2*x[8] - x[7]"
"y[9]" = "2*y[8] - y[7]"
"bx[i in links]" = "x[i+1] - 2*x[i] + x[i-1]"
"by[i in links]" = "y[i+1] - 2*y[i] + y[i-1]"
"x_dot[9]" = "2*x_dot[8] - x_dot[7]"
"y_dot[9]" = "2*y_dot[8] - y_dot[7]"
"cx[i in links]" = "x_dot[i+1] - 2*x_dot[i] + x_dot[i-1]"
"cy[i in links]" = "y_dot[i+1] - 2*y_dot[i] + y_dot[i-1]"
"cx[0]" = 0
"cy[0]" = 0
"cx[9]" = 0
"cy[9]" = 0

[model.force]
"x[i in links]" = "-eta*(cx[i-1] - 2*cx[i] + cx[i+1])"
"y[i in links]" = "-eta*(cy[i-1] - 2*cy[i] + cy[i+1])"

[model.holonomic]
"rod[i in links]" = "((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2)/2 = L^2/2"
"again[i in links]" = "((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2)/2 = L^2/2"

[model.start]
"x[i in links]" = "i*L*sin(1.2)"
"y[i in links]" = "-i*L*cos(1.2)"

[model.time]
end = 1.0
dt = 1e-4
)toml";

/// Watt's governor, problem A05 of the benchmark library of IFToMM: two rods with balls turn with a shaft; a stiff,
/// damped spring joins the middle of each rod to a slider.
inline constexpr const char* governor_text = R"toml(
[time]
end = 10.0
dt = 1e-4
save_at = [1.0, 2.0, 5.0, 10.0]
[model]
name = "governor"
gravity = [0, 0, "-9.81 m/s^2"]
[model.parameters]
k = "8e5 N/m"
c = "4e4 N s/m"
omega = "6.283185307179586 rad/s"
[model.bodies]
shaft = { mass = 0.3, box = [0.01, 0.01, 1], com = [0, 0, 0.5] }
slider = { mass = 3, box = [0.1, 0.1, 0.1] }
right = { mass = 0.3, box = [1, 0.01, 0.01], com = [0.5, 0, 0] }
right_ball = { mass = 5 }
left = { mass = 0.3, box = [1, 0.01, 0.01], com = [-0.5, 0, 0] }
left_ball = { mass = 5 }
[model.joints]
turn = { child = "shaft", type = "hinge", axis = [0, 0, 1] }
s = { parent = "shaft", child = "slider", type = "slide", axis = [0, 0, 1] }
alpha = { parent = "shaft", child = "right", at = [0.05, 0, 1], type = "hinge", axis = [0, 1, 0] }
right_end = { parent = "right", child = "right_ball", at = [1, 0, 0], type = "weld" }
beta = { parent = "shaft", child = "left", at = [-0.05, 0, 1], type = "hinge", axis = [0, -1, 0] }
left_end = { parent = "left", child = "left_ball", at = [-1, 0, 0], type = "weld" }
[model.forces]
right_rod = { from = ["slider", 0.05, 0, 0], to = ["right", 0.5, 0, 0], stiffness = "k", length = 0.5, damping = "c" }
left_rod = { from = ["slider", -0.05, 0, 0], to = ["left", -0.5, 0, 0], stiffness = "k", length = 0.5, damping = "c" }
[model.start]
s = 0.5
alpha = "pi/6"
beta = "pi/6"
turn_dot = "omega"
)toml";

}  // namespace kalaba::stiff
