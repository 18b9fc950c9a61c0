#include "scenario/sampling/random.hpp"

#include <Random123/philox.h>
#include <Random123/u01fixedpt.h>

namespace kalaba {
namespace {

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }
std::uint64_t join(std::uint32_t low, std::uint32_t high) { return std::uint64_t{high} << 32 | low; }

}  // namespace

UniformPair uniform_pair(std::uint64_t seed, std::uint64_t member, std::uint32_t stream) {
  const r123::Philox4x32::ctr_type counter = {{low(member), high(member), stream, 0}};
  const r123::Philox4x32::key_type key = {{low(seed), high(seed)}};
  const r123::Philox4x32::ctr_type words = r123::Philox4x32()(counter, key);
  return {u01fixedpt_open_open_64_double(join(words[0], words[1])),
          u01fixedpt_open_open_64_double(join(words[2], words[3]))};
}

std::uint32_t stream_of(std::string_view variable) {
  std::uint32_t hash = 2166136261U;
  for (const char c : variable) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

}  // namespace kalaba
