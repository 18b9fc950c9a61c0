#include "mechanism/algebra.hpp"

#include <cmath>

namespace kalaba::mechanism {

using formula::Op;

namespace {

/// Applies an operation to each pair of components.
template <class Operation>
Vector by_component(const Vector& a, const Vector& b, const Operation& operation) {
  return {operation(a[0], b[0]), operation(a[1], b[1]), operation(a[2], b[2])};
}

}  // namespace

Vector Algebra::add(const Vector& a, const Vector& b) const {
  return by_component(a, b, [&](Id x, Id y) { return g.add(x, y); });
}
Vector Algebra::subtract(const Vector& a, const Vector& b) const {
  return by_component(a, b, [&](Id x, Id y) { return g.subtract(x, y); });
}
Vector Algebra::negate(const Vector& a) const { return {g.negate(a[0]), g.negate(a[1]), g.negate(a[2])}; }
Vector Algebra::scale(Id s, const Vector& a) const {
  return {g.multiply(s, a[0]), g.multiply(s, a[1]), g.multiply(s, a[2])};
}
Id Algebra::dot(const Vector& a, const Vector& b) const {
  return g.add(g.add(g.multiply(a[0], b[0]), g.multiply(a[1], b[1])), g.multiply(a[2], b[2]));
}
Vector Algebra::cross(const Vector& a, const Vector& b) const {
  const auto component = [&](std::size_t i, std::size_t j) {
    return g.subtract(g.multiply(a[i], b[j]), g.multiply(a[j], b[i]));
  };
  return {component(1, 2), component(2, 0), component(0, 1)};
}
Id Algebra::norm(const Vector& a) const { return g.unary(Op::sqrt, dot(a, a)); }

Matrix Algebra::add(const Matrix& a, const Matrix& b) const {
  return {add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2])};
}
Matrix Algebra::scale(Id s, const Matrix& a) const { return {scale(s, a[0]), scale(s, a[1]), scale(s, a[2])}; }
Matrix Algebra::transpose(const Matrix& a) const {
  return {Vector{a[0][0], a[1][0], a[2][0]}, Vector{a[0][1], a[1][1], a[2][1]}, Vector{a[0][2], a[1][2], a[2][2]}};
}
Vector Algebra::multiply(const Matrix& a, const Vector& b) const { return {dot(a[0], b), dot(a[1], b), dot(a[2], b)}; }
Vector Algebra::multiply_transposed(const Matrix& a, const Vector& b) const { return multiply(transpose(a), b); }
Matrix Algebra::multiply(const Matrix& a, const Matrix& b) const {
  const Matrix columns = transpose(b);
  return {multiply(columns, a[0]), multiply(columns, a[1]), multiply(columns, a[2])};
}
Matrix Algebra::outer(const Vector& a, const Vector& b) const {
  return {scale(a[0], b), scale(a[1], b), scale(a[2], b)};
}

Quaternion Algebra::multiply(const Quaternion& a, const Quaternion& b) const {
  const Vector u{a[1], a[2], a[3]};
  const Vector v{b[1], b[2], b[3]};
  const Vector sum = add(add(scale(a[0], v), scale(b[0], u)), cross(u, v));
  return {g.subtract(g.multiply(a[0], b[0]), dot(u, v)), sum[0], sum[1], sum[2]};
}
Quaternion Algebra::unit(const Quaternion& e) const {
  Id square = number(0);
  for (const Id each : e) square = g.add(square, g.multiply(each, each));
  const Id factor = g.divide(number(1), g.unary(Op::sqrt, square));
  return {g.multiply(factor, e[0]), g.multiply(factor, e[1]), g.multiply(factor, e[2]), g.multiply(factor, e[3])};
}
Quaternion Algebra::quaternion(const Vector& axis, Id angle) const {
  const Id half = g.multiply(number(0.5), angle);
  const Vector v = scale(g.unary(Op::sin, half), axis);
  return {g.unary(Op::cos, half), v[0], v[1], v[2]};
}

Matrix Algebra::rotation(const Vector& axis, Id angle) const {
  const Id c = g.unary(Op::cos, angle);
  const Id s = g.unary(Op::sin, angle);
  const Vector turn = scale(s, axis);
  Matrix result;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      // c (1 - a_i a_i) + a_i a_i for i = j: exact for an axis of the frame
      const Id product = g.multiply(axis[i], axis[j]);
      const Id rest = g.subtract(number(i == j ? 1 : 0), product);
      result[i][j] = g.add(g.multiply(c, rest), product);
    }
  }
  const auto skew = [&](std::size_t i, std::size_t j, Id value) {
    result[i][j] = g.subtract(result[i][j], value);
    result[j][i] = g.add(result[j][i], value);
  };
  skew(0, 1, turn[2]);
  skew(1, 2, turn[0]);
  skew(2, 0, turn[1]);
  return result;
}

Matrix Algebra::rotation(const Quaternion& e) const {
  Id length = number(0);
  for (const Id each : e) length = g.add(length, g.multiply(each, each));
  const Id s = g.divide(number(2), length);
  const auto product = [&](std::size_t i, std::size_t j) { return g.multiply(s, g.multiply(e[i], e[j])); };
  const auto on = [&](std::size_t i, std::size_t j) {
    return g.subtract(number(1), g.multiply(s, g.add(g.multiply(e[i], e[i]), g.multiply(e[j], e[j]))));
  };
  const auto sum = [&](Id a, Id b) { return g.add(a, b); };
  const auto difference = [&](Id a, Id b) { return g.subtract(a, b); };
  return {Vector{on(2, 3), difference(product(1, 2), product(0, 3)), sum(product(1, 3), product(0, 2))},
          Vector{sum(product(1, 2), product(0, 3)), on(1, 3), difference(product(2, 3), product(0, 1))},
          Vector{difference(product(1, 3), product(0, 2)), sum(product(2, 3), product(0, 1)), on(1, 2)}};
}

std::array<Vector, 2> Algebra::perpendicular(const Vector& axis) const {
  // The frame's axis that is least along the unit vector; of an axis that is no number, the first.
  std::size_t least = 0;
  double smallest = 2;
  for (std::size_t i = 0; i < 3; ++i) {
    const double size = std::abs(g.constant(axis[i]).value_or(1));
    if (size < smallest) {
      smallest = size;
      least = i;
    }
  }
  Vector along = zero();
  along[least] = number(1);
  const Vector across = subtract(along, scale(dot(axis, along), axis));
  const Vector first = scale(g.divide(number(1), norm(across)), across);
  return {first, cross(axis, first)};
}

}  // namespace kalaba::mechanism
