#pragma once

#include <vector>

#include "mechanism/algebra.hpp"

namespace kalaba::mechanism {

/// Lines through points that draw a shape about the origin; the axis of cylinders and capsules is z.
using Outline = std::vector<std::vector<Vector>>;

Outline box_outline(const Algebra& algebra, const Vector& sides);
Outline sphere_outline(const Algebra& algebra, Id radius);
Outline cylinder_outline(const Algebra& algebra, Id radius, Id length);
Outline capsule_outline(const Algebra& algebra, Id radius, Id length);

}  // namespace kalaba::mechanism
