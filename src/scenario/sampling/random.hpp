#pragma once

#include <cstdint>
#include <string_view>

namespace kalaba {

/// Two independent numbers in (0, 1).
struct UniformPair {
  double first;
  double second;
};

/// Random numbers of one member for one variable. They depend on the three arguments only: a member does not depend on
/// order, block, machine or other variables.
///
///     philox4x32-10 with   counter = (member mod 2^32, member / 2^32, stream, 0)
///                          key     = (seed mod 2^32, seed / 2^32)
///     gives words r0 … r3, and   x1 = r0 + 2^32 r1,   x2 = r2 + 2^32 r3
///     u = (2 floor(x / 2^12) + 1) / 2^53        (a multiple of 2^-53, never 0 or 1)
UniformPair uniform_pair(std::uint64_t seed, std::uint64_t member, std::uint32_t stream);

/// The stream of a variable: FNV-1a (32 bit) of its full name, such as "parameters.L" or "initial.x".
std::uint32_t stream_of(std::string_view variable);

}  // namespace kalaba
