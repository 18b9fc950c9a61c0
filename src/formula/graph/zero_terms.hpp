#pragma once

#include <vector>

#include "formula/graph/graph.hpp"

namespace kalaba::formula {

/// Values about which a model is meant to be evaluated: parameters and coordinates of its default start.
struct TypicalValues {
  std::vector<double> parameters;
  std::vector<double> coordinates;
};

/// Replaces sums that vanish identically by the number 0, in these expressions: x + y - (x + y) written otherwise, or
/// the rate of a norm that the kinematics keep. As numbers they are rounding noise, which cannot be recognised when the
/// model runs.
///
/// A sum vanishes where its value lies within the running error bound of its evaluation at every one of several random
/// points that differ widely in scale, parameters among them, and that bound is small against its terms. Sums of
/// functions that are defined piecewise (min, abs, select, tables) are left as they are.
std::vector<Id> without_zeros(Graph& graph, const std::vector<Id>& roots, const TypicalValues& about);

}  // namespace kalaba::formula
