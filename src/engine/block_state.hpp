#pragma once

#include <string>

#include "kalaba/block.hpp"

namespace kalaba {

/// What of a block its runner and its source do not know anew: everything but the parameters.
std::string state_of(const Block& block);
/// Puts it back, into a block of the same members. Throws Error(file_error) where it is not of this block.
void restore(Block& block, const std::string& state);

}  // namespace kalaba
