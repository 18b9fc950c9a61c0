#pragma once

#include "formula/mechanics/derive.hpp"
#include "kalaba/system.hpp"

namespace kalaba::formula {

/// Rounds those entries of A that vanish where the constraints are satisfied, so that they are 0 there and no rounding
/// error. If the other entries of such a row vanish too, its rounding errors would else count as a constraint: with
/// X = 0 by one row, the row X (y' + z') of another one. An entry vanishes if it is zero at pseudo-random states that
/// satisfy the constraints, up to a millionth of its size beside them. It is rounded to a multiple of about 1e-15 of
/// its slope there, (A + c) - c with a power of two c, so that it still counts on other branches of the constraints.
void round_vanishing_entries(Graph& graph, const SystemInfo& info, Terms& terms);

}  // namespace kalaba::formula
