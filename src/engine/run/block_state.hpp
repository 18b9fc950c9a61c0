#pragma once

#include <string>

#include "engine/run/conserved.hpp"
#include "engine/run/constraint_judge.hpp"
#include "engine/run/lyapunov_exponents.hpp"
#include "kalaba/block.hpp"

namespace kalaba {

/// Returns the state of a block that its runner and its source cannot recompute (everything except the parameters),
/// with the judgements of its constraints and conserved numbers and the growth of its directions so far.
std::string state_of(const Block& block, const ConstraintJudge& judge, const ConservedNumbers& conserved,
                     const LyapunovExponents& exponents);
/// Restores it into a block of the same members. Throws Error(file_error) if it belongs to another block.
void restore(Block& block, ConstraintJudge& judge, ConservedNumbers& conserved, LyapunovExponents& exponents,
             const std::string& state);

}  // namespace kalaba
