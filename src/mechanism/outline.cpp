#include "mechanism/outline.hpp"

#include <cmath>
#include <numbers>

namespace kalaba::mechanism {
namespace {

constexpr int parts = 16;  // of a circle

/// Part of a circle about `centre`, in the plane of the axes `first` and `second`, from one angle (in parts of the
/// circle) to another.
std::vector<Vector> arc(const Algebra& a, Id radius, const Vector& centre, std::size_t first, std::size_t second,
                        int from, int to) {
  std::vector<Vector> line;
  for (int i = from; i <= to; ++i) {
    const double angle = 2 * std::numbers::pi * i / parts;
    Vector point = a.zero();
    point[first] = a.g.multiply(a.number(std::cos(angle)), radius);
    point[second] = a.g.multiply(a.number(std::sin(angle)), radius);
    line.push_back(a.add(centre, point));
  }
  return line;
}

/// Two circles about z at both ends, and four lines between them.
Outline barrel(const Algebra& a, Id radius, Id length) {
  const Vector end{a.number(0), a.number(0), a.g.multiply(a.number(0.5), length)};
  const Outline circles = {arc(a, radius, end, 0, 1, 0, parts), arc(a, radius, a.negate(end), 0, 1, 0, parts)};
  Outline lines = circles;
  for (std::size_t i = 0; i < parts; i += parts / 4) lines.push_back({circles[0][i], circles[1][i]});
  return lines;
}

}  // namespace

Outline box_outline(const Algebra& a, const Vector& sides) {
  const auto corner = [&](int x, int y, int z) {
    const std::array<int, 3> sign = {x, y, z};
    Vector point;
    for (std::size_t i = 0; i < 3; ++i) point[i] = a.g.multiply(a.number(0.5 * sign[i]), sides[i]);
    return point;
  };
  Outline lines;
  for (const int z : {-1, 1}) {
    lines.push_back({corner(-1, -1, z), corner(1, -1, z), corner(1, 1, z), corner(-1, 1, z), corner(-1, -1, z)});
  }
  for (const int x : {-1, 1}) {
    for (const int y : {-1, 1}) lines.push_back({corner(x, y, -1), corner(x, y, 1)});
  }
  return lines;
}

Outline sphere_outline(const Algebra& a, Id radius) {
  const Vector centre = a.zero();
  return {arc(a, radius, centre, 0, 1, 0, parts), arc(a, radius, centre, 1, 2, 0, parts),
          arc(a, radius, centre, 0, 2, 0, parts)};
}

Outline cylinder_outline(const Algebra& a, Id radius, Id length) { return barrel(a, radius, length); }

Outline capsule_outline(const Algebra& a, Id radius, Id length) {
  Outline lines = barrel(a, radius, length);
  const Vector end{a.number(0), a.number(0), a.g.multiply(a.number(0.5), length)};
  for (const std::size_t across : {std::size_t{0}, std::size_t{1}}) {
    lines.push_back(arc(a, radius, end, across, 2, 0, parts / 2));
    lines.push_back(arc(a, radius, a.negate(end), across, 2, parts / 2, parts));
  }
  return lines;
}

}  // namespace kalaba::mechanism
