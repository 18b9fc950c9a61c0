#pragma once

#include <cmath>
#include <vector>

#include "kalaba/core/base/differentiation.hpp"
#include "kalaba/core/base/matrix.hpp"

namespace kalaba {

/// Circle around `centre`; in space, in the plane with the unit normal `normal`.
template <int D>
struct OnCircle {
  static constexpr const char* name = "circle";
  static constexpr int equations = D - 1;
  Vec<double, D> centre = {};  ///< m
  double radius = 1;           ///< m
  Vec<double, 3> normal = {0, 0, 1};

  template <class X>
  Vec<X, equations> phi(const X&, const Vec<X, D>& q) const {
    Vec<X, equations> off;
    X square(-radius * radius);
    X height(0.0);
    for (int d = 0; d < D; ++d) {
      const X from = q[d] - centre[d];
      square = square + from * from;
      height = height + from * normal[d];
    }
    off[0] = square * (0.5 / radius);
    if constexpr (D == 3) off[1] = height;
    return off;
  }
};

/// Line through `point` along `direction` (of length 1): D equations of rank D - 1.
template <int D>
struct OnLine {
  static constexpr const char* name = "line";
  static constexpr int equations = D;
  Vec<double, D> point = {};  ///< m
  Vec<double, D> direction = {1};

  template <class X>
  Vec<X, D> phi(const X&, const Vec<X, D>& q) const {
    X along(0.0);
    for (int d = 0; d < D; ++d) along = along + (q[d] - point[d]) * direction[d];
    Vec<X, D> off;
    for (int d = 0; d < D; ++d) off[d] = q[d] - point[d] - along * direction[d];
    return off;
  }
};

/// One point of a circle that rotates: centre + radius (cos angle along `first` + sin angle along `second`).
template <int D>
struct OnTurningCircle {
  static constexpr const char* name = "circle";
  static constexpr int equations = D;
  Vec<double, D> centre = {};  ///< m
  double radius = 1;           ///< m
  double angular_speed = 0;    ///< rad/s
  double phase = 0;            ///< rad, at t = 0
  Vec<double, D> first = {1, 0};
  Vec<double, D> second = {0, 1};

  template <class X>
  Vec<X, D> phi(const X& t, const Vec<X, D>& q) const {
    const X angle = t * angular_speed + phase;
    const X across = cos(angle) * radius;
    const X up = sin(angle) * radius;
    Vec<X, D> off;
    for (int d = 0; d < D; ++d) off[d] = q[d] - centre[d] - across * first[d] - up * second[d];
    return off;
  }
};

/// Path through given points at given times: a cubic spline, twice continuously differentiable, whose first two pieces
/// are one cubic, and whose last two are (de Boor's "not a knot"); for two points a line, for three a parabola. Before
/// the first and after the last time it is extrapolated by its end pieces.
template <int D>
class OnPath {
 public:
  static constexpr const char* name = "path";

  /// point(u) = c[0] + c[1] u + c[2] u^2 + c[3] u^3, u = t - begin.
  struct Piece {
    static constexpr int equations = D;
    double begin;  ///< s
    Vec<double, D> c[4];

    template <class X>
    Vec<X, D> phi(const X& t, const Vec<X, D>& q) const {
      const X u = t - begin;
      Vec<X, D> off;
      for (int d = 0; d < D; ++d) off[d] = q[d] - (u * (u * (u * c[3][d] + c[2][d]) + c[1][d]) + c[0][d]);
      return off;
    }
  };

  /// `times` are ascending, s; points[k] is the position of the agent at times[k], m. Throws Error(bad_input) unless
  /// there are at least two of each, and equally many.
  OnPath(const std::vector<double>& times, const std::vector<Vec<double, D>>& points);

  const Piece& at(double t) const;

 private:
  std::vector<Piece> pieces_;
};

extern template class OnPath<2>;
extern template class OnPath<3>;

}  // namespace kalaba
