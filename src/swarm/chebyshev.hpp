#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <numbers>

namespace kalaba::swarm {

/// The Chebyshev polynomials at x in -1 … 1 with two derivatives.
template <int P>
struct Polynomials {
  double value[P], first[P], second[P];

  explicit Polynomials(double x) {
    value[0] = 1;
    first[0] = second[0] = second[1] = 0;
    value[1] = x;
    first[1] = 1;
    for (int k = 2; k < P; ++k) {
      value[k] = 2 * x * value[k - 1] - value[k - 2];
      first[k] = 2 * value[k - 1] + 2 * x * first[k - 1] - first[k - 2];
      second[k] = 4 * first[k - 1] + 2 * x * second[k - 1] - second[k - 2];
    }
  }
};

template <int P>
using Square = Eigen::Matrix<double, P, P>;
template <int P>
using Fields = Eigen::Matrix<double, P * P, 2>;  ///< U and its rate at the nodes of a cell, or their sources
using Velocity = std::array<double, 2>;          ///< m/s

inline Velocity operator-(const Velocity& a, const Velocity& b) { return {a[0] - b[0], a[1] - b[1]}; }

/// What the order alone decides.
template <int P>
struct Nodes {
  double place[P];
  Square<P> weights;      ///< node a takes weights(a, k) of polynomial k: l_a(x) = sum_k weights(a, k) T_k(x)
  Square<P> slopes;       ///< (node, node whose polynomial is differentiated there)
  Square<P> to_child[2];  ///< (node of the parent, node of the lower or upper child)

  Nodes() {
    for (int a = 0; a < P; ++a) place[a] = std::cos(std::numbers::pi * (a + 0.5) / P);
    for (int a = 0; a < P; ++a) {
      const Polynomials<P> t(place[a]);
      for (int k = 0; k < P; ++k) weights(a, k) = (k == 0 ? 1.0 : 2.0) / P * t.value[k];
    }
    for (int a = 0; a < P; ++a) {
      const Polynomials<P> t(place[a]);
      slopes.row(a) = (weights * Eigen::Map<const Eigen::Matrix<double, P, 1>>(t.first)).transpose();
    }
    for (int side = 0; side < 2; ++side) {
      for (int b = 0; b < P; ++b) {
        const Polynomials<P> t((place[b] + (side == 0 ? -1 : 1)) / 2);
        to_child[side].col(b) = weights * Eigen::Map<const Eigen::Matrix<double, P, 1>>(t.value);
      }
    }
  }
};

/// X -> left X right^T for both fields of a cell.
template <int P>
Fields<P> transformed(const Square<P>& left, const Fields<P>& fields, const Square<P>& right) {
  Fields<P> result;
  for (int f = 0; f < 2; ++f) {
    const Eigen::Map<const Square<P>> from(fields.col(f).data());
    Eigen::Map<Square<P>> to(result.col(f).data());
    to.noalias() = left * from * right.transpose();
  }
  return result;
}

/// Adds to the rates of a cell what comes of its moving by `velocity` (widths of half a cell a second) through U.
template <int P>
void move_through(const Velocity& velocity, const Square<P>& slopes, Fields<P>& fields) {
  const Eigen::Map<const Square<P>> u(fields.col(0).data());
  Eigen::Map<Square<P>> rate(fields.col(1).data());
  rate.noalias() += velocity[0] * (slopes * u);
  rate.noalias() += velocity[1] * (u * slopes.transpose());
}

}  // namespace kalaba::swarm
