#include "scenario/sampling/unit_design.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "kalaba/mixed_bits.hpp"
#include "scenario/sampling/random.hpp"

namespace kalaba {
namespace {

/// A primitive polynomial over GF(2) of `degree`, with the inner coefficients `inner`, and the first numbers m.
struct Direction {
  int degree;
  std::uint32_t inner;
  std::array<std::uint32_t, 8> m;
};

// The file new-joe-kuo-6.21201 of Joe and Kuo, from its second dimension on.
constexpr std::array<Direction, most_sobol_variables - 1> joe_kuo = {{
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
    {8, 14, {1, 3, 1, 15, 31, 13, 49, 245}},
    {8, 21, {1, 3, 5, 15, 31, 59, 63, 97}},
    {8, 22, {1, 3, 1, 11, 11, 11, 77, 249}},
}};

using Directions = std::array<std::uint32_t, 32>;

/// Bratley and Fox 1988: v_k = v_(k-s) ^ (v_(k-s) >> s) ^ the v in between that the polynomial names.
constexpr Directions directions_of(int dimension) {
  Directions v = {};
  for (int k = 0; k < 32; ++k) {
    if (dimension == 0) {
      v[static_cast<std::size_t>(k)] = 1U << (31 - k);
      continue;
    }
    const Direction& from = joe_kuo[static_cast<std::size_t>(dimension - 1)];
    const int s = from.degree;
    const auto at = static_cast<std::size_t>(k);
    if (k < s) {
      v[at] = from.m[at] << (31 - k);
      continue;
    }
    v[at] = v[static_cast<std::size_t>(k - s)] ^ (v[static_cast<std::size_t>(k - s)] >> s);
    for (int i = 1; i < s; ++i) {
      if ((from.inner >> (s - 1 - i) & 1U) != 0) v[at] ^= v[static_cast<std::size_t>(k - i)];
    }
  }
  return v;
}

constexpr auto all_directions = [] {
  std::array<Directions, most_sobol_variables> all = {};
  for (int i = 0; i < most_sobol_variables; ++i) all[static_cast<std::size_t>(i)] = directions_of(i);
  return all;
}();

std::uint64_t key_of(std::uint64_t seed, std::uint32_t stream) { return mixed_bits(mixed_bits(seed) ^ stream); }

/// Place of a member in an order that only grows where members are doubled: the first `base` members are permuted among
/// themselves, and so are those of each doubling.
std::uint64_t growing_place(std::uint64_t seed, std::uint32_t stream, std::uint64_t member, std::uint64_t base) {
  if (member < base) return latin_place(seed, stream, member, base);
  std::uint64_t before = base;
  while (member >= 2 * before) before *= 2;
  return before + latin_place(mixed_bits(seed + before), stream, member - before, before);
}

/// A Latin hypercube of base * 2^k members with an odd base. The first base * 2^l points of the sequence (c + v(b)) /
/// base, where c + base b is the number of the point and v is van der Corput's sequence, have one in each of as many
/// even intervals, for every l; scrambled as Owen 1995 has it they keep that.
double latin_coordinate(std::uint64_t seed, std::uint32_t stream, std::uint64_t member, long members, double inside) {
  constexpr int most_doublings = 32;  // bits of v
  const auto count = static_cast<std::uint64_t>(members);
  const std::uint64_t base = count >> std::min(std::countr_zero(count), most_doublings);
  const std::uint64_t place = growing_place(seed, stream, member, base);
  const std::uint64_t interval = place % base;
  const std::uint32_t v = sobol_bits(static_cast<std::uint32_t>(place / base), 0);
  const std::uint32_t bits = owen_scrambled(v, mixed_bits(key_of(seed, stream) + interval));
  const double u =
      (static_cast<double>(interval) + (static_cast<double>(bits) + inside) * 0x1p-32) / static_cast<double>(base);
  return u < 1 ? u : 1 - 0x1p-53;  // what rounding may reach
}

}  // namespace

std::uint64_t latin_place(std::uint64_t seed, std::uint32_t stream, std::uint64_t member, std::uint64_t members) {
  constexpr int rounds = 8;
  const int half = (std::bit_width(members - 1) + 1) / 2;  // bits of each half
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  const std::uint64_t key = key_of(seed, stream);
  // A permutation of fewer than 4 N numbers; those beyond N are permuted again until they are below.
  do {
    std::uint64_t left = member >> half;
    std::uint64_t right = member & mask;
    for (int round = 0; round < rounds; ++round) {
      const std::uint64_t next =
          left ^ (mixed_bits(key ^ mixed_bits(right << 3 | static_cast<unsigned>(round))) & mask);
      left = right;
      right = next;
    }
    member = left << half | right;
  } while (member >= members);
  return member;
}

std::uint32_t sobol_bits(std::uint32_t index, int dimension) {
  std::uint32_t bits = 0;
  for (std::size_t k = 0; index != 0; ++k, index >>= 1) {
    if ((index & 1U) != 0) bits ^= all_directions[static_cast<std::size_t>(dimension)][k];
  }
  return bits;
}

std::uint32_t owen_scrambled(std::uint32_t bits, std::uint64_t key) {
  std::uint32_t scrambled = 0;
  for (int k = 0; k < 32; ++k) {
    // Whether a bit flips depends on it and on the bits before it alone.
    const std::uint64_t before = k == 0 ? 0 : bits >> (32 - k);
    const auto flip =
        static_cast<std::uint32_t>(mixed_bits(key ^ mixed_bits(before << 6 | static_cast<unsigned>(k))) >> 63);
    scrambled |= ((bits >> (31 - k) & 1U) ^ flip) << (31 - k);
  }
  return scrambled;
}

double UnitCube::of_saltelli(long member, std::uint32_t stream, int dimension) const {
  const long together = saltelli_members(variables);
  const long place = member % together;
  const UnitCube points = {SamplingDesign::sobol, seed, members / together};
  if (place != 1 && place != dimension + 2) return points.at(member / together, stream, dimension);
  const std::uint32_t of_b = (stream ^ '\'') * 16777619U;  // stream_of of the name with a mark that no name has
  return points.at(member / together, of_b, variables + dimension);
}

double UnitCube::at(long member, std::uint32_t stream, int dimension) const {
  if (design == SamplingDesign::saltelli) return of_saltelli(member, stream, dimension);
  const auto number = static_cast<std::uint64_t>(member);
  const double inside = uniform_pair(seed, number, stream).first;
  if (design == SamplingDesign::latin_hypercube) return latin_coordinate(seed, stream, number, members, inside);
  if (design == SamplingDesign::sobol) {
    const std::uint32_t bits =
        owen_scrambled(sobol_bits(static_cast<std::uint32_t>(number), dimension), key_of(seed, stream));
    const double u = (static_cast<double>(bits) + inside) * 0x1p-32;
    return u < 1 ? u : 1 - 0x1p-53;
  }
  return inside;
}

}  // namespace kalaba
