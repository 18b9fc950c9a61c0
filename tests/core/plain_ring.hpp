#pragma once

#include <array>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <type_traits>

#include "kalaba/backend/pack.hpp"
#include "kalaba/backend/packs.hpp"
#include "kalaba/core/loop/integrators.hpp"

namespace kalaba::plain_ring {

/// Particle under gravity on the circle s (x^2 + y^2 - r^2) / 2 = 0, valid while x is above `left`.
struct Ring {
  static constexpr const char* name = "ring";
  static constexpr const char* summary = "a particle on a circle";
  static constexpr const char* source = "the tests";
  static constexpr const char* equations = "phi = s (x^2 + y^2 - r^2) / 2";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {
      {"m", "kg", 2}, {"g", "m/s^2", 9.81}, {"r", "m", 1.5}, {"s", "1", 3}, {"left", "m", -9}};
  static constexpr Quantity coordinates[] = {{"x", "m"}, {"y", "m"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}, {"y_dot", "m/s"}};
  static constexpr Quantity holonomic[] = {{"circle", "m^2"}};
  static constexpr TimeGrid time = {.start = 0, .end = 1, .dt = 2e-3};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    q[0] = p[2] * 0.6;
    q[1] = p[2] * 0.8;
    w[0] = w[1] = 0.0;
  }
  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 2>&) {
    return Diagonal<X, 2>{{X(p[0]), X(p[0])}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> force(const P& p, const X&, const Vec<X, 2>&, const Vec<X, 2>&) {
    return {X(0.0), X(-(p[0] * p[1]))};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 1> phi(const P& p, const X&, const Vec<X, 2>& q) {
    return {(q[0] * q[0] + q[1] * q[1] - p[2] * p[2]) * (p[3] * 0.5)};
  }
  template <class P, class X>
  KALABA_FN static auto valid(const P& p, const X&, const Vec<X, 2>& q, const Vec<X, 2>&) {
    return X(p[4]) < q[0];
  }
};

static_assert(Model<Ring>);

struct PlainRing : Ring {
  template <class P, class X>
  KALABA_FN static SingleRow<PlainRing, X> single_row(const P& p, const X& t, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    const Vec<X, 2> row = {p[3] * q[0], p[3] * q[1]};
    const X square = w[0] * w[0] + w[1] * w[1];
    return {w,
            {X(0.0), X(-p[1])},
            row,
            row,
            phi(p, t, q),
            {row[0] * w[0] + row[1] * w[1]},
            p[3] * square - row[1] * p[1],
            row[0] * row[0] + row[1] * row[1]};
  }
};

inline constexpr int members = 16;

/// Input of one member.
struct Start {
  double p[5] = {2, 9.81, 1.5, 3, -9};
  double q[2] = {0.9, 1.2};
  double w[2] = {0.8, -0.6};
};
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
inline const std::array<Start, members> starts = {{
    {},
    {.p = {2, 9.81, 1.5, 1e-160, -9}},                             // a row whose square is subnormal or zero
    {.p = {2, 9.81, 1.5, 1e160, -9}},                              // a row whose square overflows
    {.p = {2, 0, 0, 3, -9}, .q = {0, 0}, .w = {0, 0}},             // a zero row, at rest
    {.p = {2, 0, 0, 3, -9}, .q = {0, 0}, .w = {1, 0}},             // a zero row that contradicts its b
    {.p = {2, 9.81, 1.5, 3, 0.5}, .q = {0.9, 1.2}, .w = {-4, 3}},  // leaves the domain of the model
    {.q = {0.9, not_a_number}},
    {.w = {1e200, 0}},
    {.w = {160, -120}},                                  // requires more than one correction per step
    {.p = {2, 9.81, 1.5, 3, -1e300}, .w = {4e3, -3e3}},  // too fast for steps of that length
    {.p = {2, 9.81, 1.5, 3, -1e300}, .w = {8e3, -6e3}},
    {.p = {2, 9.81, 1.5, 3, -1e300}, .w = {12e3, -9e3}},
    {.p = {2, 9.81, 1.5, 3, -1e300}, .w = {16e3, -12e3}},
    {.p = {2, 9.81, 1.5, 3, -1e300}, .w = {20e3, -15e3}},
    {.p = {2, 9.81, 1.5, 3, -1e300}, .w = {24e3, -18e3}},
    {.p = {2, 9.81, 1.5, 3, -1e300}, .w = {28e3, -21e3}},
}};

using One = Pack<double>;
using Some = Packs<One, members / One::lanes>;
static_assert(Some::lanes == members);

/// Loops as compiled for models: several packs at once with equal steps, or one at a time with different steps.
template <Integrator integrator>
using PackOf = std::conditional_t<integrator == Integrator::rk4, Some, One>;

/// One number per member.
using OfEach = double[members];

/// Final states of members.
struct Ends {
  OfEach q[2], w[2], status, failed_step, rank, rank_changes, accepted, rejected;
};

template <class X, class Number>
X lanes_of(int first, const Number& number) {
  double lanes[X::lanes];
  for (int k = 0; k < X::lanes; ++k) lanes[k] = number(first + k);
  return X::load(lanes);
}

template <class State, class X>
State begin(const std::array<Start, members>& from, int first) {
  const auto at = [&](int k) -> const Start& { return from[static_cast<std::size_t>(k)]; };
  State member{};
  for (int i = 0; i < 5; ++i) member.p[i] = lanes_of<X>(first, [&](int k) { return at(k).p[i]; });
  for (int i = 0; i < 2; ++i) member.q[i] = lanes_of<X>(first, [&](int k) { return at(k).q[i]; });
  for (int i = 0; i < 2; ++i) member.w[i] = lanes_of<X>(first, [&](int k) { return at(k).w[i]; });
  member.status = member.failed_step = member.rank_changes = member.approach = member.singular_passages =
      member.svd_stages = X(0);
  member.rank = X(-1);
  return member;
}

inline Method method_of(const Stabilization& stabilization, double tolerance = Method{}.relative_tolerance) {
  Method method;
  method.stabilization = stabilization;
  method.relative_tolerance = tolerance;
  return method;
}

template <class State, class X>
void keep(const State& member, int first, Ends& ends) {
  const auto put = [&](const X& from, OfEach& to) {
    for (int k = 0; k < X::lanes; ++k) to[first + k] = lane_of(from, k);
  };
  for (int i = 0; i < 2; ++i) put(member.q[i], ends.q[i]);
  for (int i = 0; i < 2; ++i) put(member.w[i], ends.w[i]);
  put(member.status, ends.status);
  put(member.failed_step, ends.failed_step);
  put(member.rank, ends.rank);
  put(member.rank_changes, ends.rank_changes);
  if constexpr (requires { member.accepted; }) {
    put(member.accepted, ends.accepted);
    put(member.rejected, ends.rejected);
  }
}

/// Final states after the numbers of steps in `parts`, with one call of the loop per part.
template <class M, Integrator integrator = Integrator::rk4>
Ends travelled(const std::array<Start, members>& from, const Stabilization& stabilization,
               std::initializer_list<long> parts, double tolerance = Method{}.relative_tolerance) {
  using X = PackOf<integrator>;
  using Loop = typename LoopOf<integrator>::template Loop<M, X, JacobiSvd>;
  using State = typename Loop::PersistentState;
  static Loop loop;
  const Method method = method_of(stabilization, tolerance);
  Ends ends{};
  for (int k = 0; k < members; k += X::lanes) {
    auto member = begin<State, X>(from, k);
    long first = 0;
    for (const long steps : parts) {
      loop.advance(Solo{}, member, method, M::time, first, steps);
      first += steps;
    }
    keep<State, X>(member, k, ends);
  }
  return ends;
}

inline const Stabilization stabilizations[] = {Stabilization::none(), Stabilization::projection(),
                                               Stabilization::baumgarte(5, 5)};

inline bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace kalaba::plain_ring
