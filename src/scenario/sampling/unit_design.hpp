#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kalaba {

/// How the drawn variables of an ensemble share the unit cube; what a variable makes of its coordinate u is told by its
/// distribution. Every coordinate follows from the seed, the member and the variable, in constant time and memory.
///
///     independent       u of each member and variable on its own
///     latin_hypercube   each variable has one member in each of N even intervals, in an order of its own (McKay,
///                       Beckman and Conover 1979): the order is a Feistel network over the members' numbers. The first
///                       N of 2 N members are those of N.
///     sobol             Sobol' points with the direction numbers of Joe and Kuo 2008 (new-joe-kuo-6), scrambled as
///                       Owen 1995 has it; 40 variables and 2^32 members at most. Balanced where N is a power of two.
///     one_at_a_time     a member at the defaults, then each axis in turn while the others stay there
///     saltelli          for the indices of Sobol': Sobol' points of twice as many variables, the halves of each being
///                       its a and its b; of d variables the point has d + 2 members in a row: a, b, and for each
///                       variable a with that of b in its place (Saltelli et al. 2010)
enum class SamplingDesign { independent, latin_hypercube, sobol, one_at_a_time, saltelli };

inline constexpr SamplingDesign all_designs[] = {SamplingDesign::independent, SamplingDesign::latin_hypercube,
                                                 SamplingDesign::sobol, SamplingDesign::one_at_a_time,
                                                 SamplingDesign::saltelli};
constexpr std::string_view design_name(SamplingDesign design) {
  constexpr std::string_view names[] = {"independent", "latin_hypercube", "sobol", "one_at_a_time", "saltelli"};
  return names[static_cast<int>(design)];
}

inline constexpr int most_sobol_variables = 40;
inline constexpr long most_sobol_members = 1L << 32;

/// Place of number `member` in a permutation of 0 ... members - 1 that the seed and the variable choose.
std::uint64_t latin_place(std::uint64_t seed, std::uint32_t stream, std::uint64_t member, std::uint64_t members);

/// Bits of the Sobol' point `index` in a dimension from 0 on, the first bit highest; and the same scrambled.
std::uint32_t sobol_bits(std::uint32_t index, int dimension);
std::uint32_t owen_scrambled(std::uint32_t bits, std::uint64_t key);

/// Members that share a point of the design saltelli.
constexpr long saltelli_members(int variables) { return variables + 2L; }

/// The coordinates of an ensemble's members.
struct UnitCube {
  SamplingDesign design = SamplingDesign::independent;
  std::uint64_t seed = 1;
  long members = 1;
  int variables = 0;  ///< that are drawn: of saltelli

  /// In (0, 1): of variable `stream`, which is number `dimension` of those that are drawn.
  double at(long member, std::uint32_t stream, int dimension) const;

 private:
  double of_saltelli(long member, std::uint32_t stream, int dimension) const;
};

}  // namespace kalaba
