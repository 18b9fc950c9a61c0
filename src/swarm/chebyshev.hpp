#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

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
  template <int Derivative>
  const double* derivative() const {
    return Derivative == 0 ? value : Derivative == 1 ? first : second;
  }
};

constexpr int power(int base, int exponent) { return exponent == 0 ? 1 : base * power(base, exponent - 1); }

/// The nodes of interpolation with `order` polynomials in -1 … 1.
inline Eigen::VectorXd chebyshev_nodes(int order) {
  Eigen::VectorXd nodes(order);
  for (int a = 0; a < order; ++a) nodes[a] = std::cos(std::numbers::pi * (a + 0.5) / order);
  return nodes;
}
/// Weight of a function's value at a node (row) in the coefficient of a polynomial (column).
inline Eigen::MatrixXd chebyshev_weights(int order) {
  Eigen::MatrixXd weights(order, order);
  for (int a = 0; a < order; ++a) {
    for (int k = 0; k < order; ++k) {
      weights(a, k) = (k == 0 ? 1.0 : 2.0) / order * std::cos(std::numbers::pi * k * (a + 0.5) / order);
    }
  }
  return weights;
}

template <int P>
using Square = Eigen::Matrix<double, P, P>;
template <int D, int P>
using Coefficients = Eigen::Matrix<double, power(P, D), 1>;  ///< the polynomials of the first axis run fastest
template <int D, int P>
using Fields = Eigen::Matrix<double, power(P, D), 2>;  ///< U and its rate, or their sources
template <int D>
using Velocity = std::array<double, D>;  ///< m/s

template <std::size_t D>
std::array<double, D> operator-(const std::array<double, D>& a, const std::array<double, D>& b) {
  std::array<double, D> apart;
  for (std::size_t d = 0; d < D; ++d) apart[d] = a[d] - b[d];
  return apart;
}

/// Linear maps of polynomial coefficients, (new coefficient, old coefficient).
template <int P>
struct Conversions {
  Square<P> slopes;   ///< the derivative
  Square<P> half[2];  ///< on the lower and upper half of -1 … 1

  /// Maps for fields, or for sources their transposes: a source's coefficients are the sums of the polynomials' values
  /// over the agents.
  explicit Conversions(bool of_sources) {
    const Eigen::VectorXd nodes = chebyshev_nodes(P);
    const Eigen::MatrixXd weights = chebyshev_weights(P);
    Eigen::MatrixXd first(P, P), lower(P, P), upper(P, P);  // (polynomial, node)
    for (int a = 0; a < P; ++a) {
      std::copy_n(Polynomials<P>(nodes[a]).first, P, &first(0, a));
      std::copy_n(Polynomials<P>((nodes[a] - 1) / 2).value, P, &lower(0, a));
      std::copy_n(Polynomials<P>((nodes[a] + 1) / 2).value, P, &upper(0, a));
    }
    const auto set = [&](Square<P>& to, const Eigen::MatrixXd& matrix) {
      for (int k = 0; k < P; ++k) {
        for (int l = 0; l < P; ++l) (of_sources ? to(k, l) : to(l, k)) = matrix(k, l);
      }
    };
    set(slopes, first * weights);
    set(half[0], lower * weights);
    set(half[1], upper * weights);
  }
};

/// Calls work(axis) for the axes 0 … D - 1, each a constant.
template <int D, class Work>
void each_axis(const Work& work) {
  [&]<int... axis>(std::integer_sequence<int, axis...>) { (work(std::integral_constant<int, axis>{}), ...); }
  (std::make_integer_sequence<int, D>{});
}

/// Applies the matrix along one axis of a field.
template <int D, int P, int axis>
Coefficients<D, P> along(const Square<P>& matrix, const double* field) {
  constexpr int inner = power(P, axis);
  constexpr int outer = power(P, D - 1 - axis);
  Coefficients<D, P> result;
  double* to = result.data();
  for (int o = 0; o < outer; ++o, field += inner * P, to += inner * P) {
    double sums[inner * P] = {};
    for (int l = 0; l < P; ++l) {
      const double* const column = matrix.data() + l * P;
      for (int k = 0; k < P; ++k) {
        for (int i = 0; i < inner; ++i) sums[k * inner + i] += column[k] * field[l * inner + i];
      }
    }
    std::copy_n(sums, inner * P, to);
  }
  return result;
}

/// Applies matrix_of(axis) along every axis to both fields of a cell.
template <int D, int P, class MatrixOf>
Fields<D, P> transformed(const MatrixOf& matrix_of, const Fields<D, P>& fields) {
  Fields<D, P> result = fields;
  for (int f = 0; f < 2; ++f) {
    each_axis<D>([&](auto axis) { result.col(f) = along<D, P, axis>(matrix_of(axis), result.col(f).data()); });
  }
  return result;
}

/// Adds to the rates of a cell the effect of its motion by `velocity` (half widths per second) through U.
template <int D, int P>
void move_through(const Velocity<D>& velocity, const Square<P>& slopes, Fields<D, P>& fields) {
  each_axis<D>([&](auto axis) { fields.col(1) += velocity[axis] * along<D, P, axis>(slopes, fields.col(0).data()); });
}

/// Evaluates a sum of products of polynomials with the coefficients of a field, with its derivatives up to the order
/// `most`: out[k + 3 l + 9 m] is the k-th by the first axis, the l-th by the second and the m-th by the third.
template <int axis, int most, int P>
void derivatives(const double* coefficients, const Polynomials<P>* t, double* out) {
  each_axis<most + 1>([&](auto order) {
    constexpr int inner = power(P, axis);
    const double* const polynomial = t[axis].template derivative<order>();
    double part[inner] = {};
    for (int l = 0; l < P; ++l) {
      for (int i = 0; i < inner; ++i) part[i] += coefficients[l * inner + i] * polynomial[l];
    }
    double* const to = out + order * power(3, axis);
    if constexpr (axis == 0) {
      *to = part[0];
    } else {
      derivatives<axis - 1, most - order>(part, t, to);
    }
  });
}

}  // namespace kalaba::swarm
