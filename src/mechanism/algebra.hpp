#pragma once

#include <array>

#include "formula/graph/graph.hpp"

namespace kalaba::mechanism {

using formula::Id;

/// Vectors, matrices (by rows) and quaternions (w, x, y, z) of expressions.
using Vector = std::array<Id, 3>;
using Matrix = std::array<Vector, 3>;
using Quaternion = std::array<Id, 4>;

/// Vector algebra on the nodes of a graph, which removes structural zeros and ones.
class Algebra {
 public:
  explicit Algebra(formula::Graph& graph) : g(graph) {}

  Id number(double value) const { return g.number(value); }
  Vector vector(double x, double y, double z) const { return {number(x), number(y), number(z)}; }
  Vector zero() const { return vector(0, 0, 0); }
  Matrix identity() const { return {vector(1, 0, 0), vector(0, 1, 0), vector(0, 0, 1)}; }

  Vector add(const Vector& a, const Vector& b) const;
  Vector subtract(const Vector& a, const Vector& b) const;
  Vector negate(const Vector& a) const;
  Vector scale(Id s, const Vector& a) const;
  Id dot(const Vector& a, const Vector& b) const;
  Vector cross(const Vector& a, const Vector& b) const;
  Id norm(const Vector& a) const;

  Matrix add(const Matrix& a, const Matrix& b) const;
  Matrix scale(Id s, const Matrix& a) const;
  Matrix transpose(const Matrix& a) const;
  Vector multiply(const Matrix& a, const Vector& b) const;
  Vector multiply_transposed(const Matrix& a, const Vector& b) const;
  Matrix multiply(const Matrix& a, const Matrix& b) const;
  Matrix outer(const Vector& a, const Vector& b) const;

  Quaternion no_rotation() const { return {number(1), number(0), number(0), number(0)}; }
  Quaternion multiply(const Quaternion& a, const Quaternion& b) const;
  /// Divides a quaternion by its length.
  Quaternion unit(const Quaternion& e) const;
  /// Rotation by an angle about a unit vector.
  Quaternion quaternion(const Vector& axis, Id angle) const;

  /// Rotation by an angle about a unit vector.
  Matrix rotation(const Vector& axis, Id angle) const;
  /// Rotation of a quaternion of any length.
  Matrix rotation(const Quaternion& e) const;
  /// Two unit vectors that form a right-handed system with a unit vector: axis, first, second. The first is the
  /// projection of an axis of the frame: x, or y for a vector along x.
  std::array<Vector, 2> perpendicular(const Vector& axis) const;

  formula::Graph& g;
};

}  // namespace kalaba::mechanism
