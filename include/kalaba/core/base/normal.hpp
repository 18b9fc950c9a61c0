#pragma once

#include "kalaba/core/base/real.hpp"

namespace kalaba {

/// Four words of 32 bits.
struct Words {
  unsigned of[4];
};

/// Random words of a counter and a key of 64 bits: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, Parallel random numbers:
/// as easy as 1, 2, 3, SC11, section 4.3).
KALABA_FN Words philox(Words counter, unsigned long long key) {
  unsigned low = static_cast<unsigned>(key);
  unsigned high = static_cast<unsigned>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xD2511F53ULL * counter.of[0];
    const unsigned long long b = 0xCD9E8D57ULL * counter.of[2];
    counter = {{static_cast<unsigned>(b >> 32) ^ counter.of[1] ^ low, static_cast<unsigned>(b),
                static_cast<unsigned>(a >> 32) ^ counter.of[3] ^ high, static_cast<unsigned>(a)}};
    low += 0x9E3779B9U;
    high += 0xBB67AE85U;
  }
  return counter;
}

namespace detail {

KALABA_FN unsigned long long joined(unsigned low, unsigned high) {
  return static_cast<unsigned long long>(high) << 32 | low;
}
/// A multiple of 2^-53 in (0, 1) from 64 random bits.
KALABA_FN double uniform(unsigned long long bits) {
  return (2 * static_cast<double>(bits >> 12) + 1) * (1.0 / 9007199254740992.0);
}
/// Standard normal number by the method of Box and Muller, from 128 random bits.
KALABA_FN double normal(const Words& words) {
  const double radius = sqrt(-2 * log(uniform(joined(words.of[0], words.of[1]))));
  return radius * cos(6.283185307179586 * uniform(joined(words.of[2], words.of[3])));
}

}  // namespace detail

/// Key of the random numbers of a member: a whole number below 2^53, so that a parameter can store it.
KALABA_FN double noise_key(unsigned long long seed, unsigned long long member) {
  constexpr unsigned stream = 0x6e6f6973;
  const Words words = philox({{static_cast<unsigned>(member), static_cast<unsigned>(member >> 32), stream, 0}}, seed);
  return static_cast<double>(detail::joined(words.of[0], words.of[1]) >> 11);
}

/// Standard normal number of a source of noise at the tick `tick` of its clock, from the key of the member. It depends
/// on these three alone. `key` and `tick`: whole numbers below 2^53.
template <class X>
KALABA_FN X normal_of(const X& key, const X& tick, unsigned source) {
  const auto draw = [&](double of_key, double of_tick) {
    const auto number = static_cast<unsigned long long>(of_tick);
    return detail::normal(philox({{static_cast<unsigned>(number), static_cast<unsigned>(number >> 32), source, 0}},
                                 static_cast<unsigned long long>(of_key)));
  };
  if constexpr (is_bool<MaskOf<X>>) {
    return X(draw(lane_of(key, 0), lane_of(tick, 0)));
  } else {
    double numbers[X::lanes];
    for (int lane = 0; lane < X::lanes; ++lane) numbers[lane] = draw(lane_of(key, lane), lane_of(tick, lane));
    return X::from(numbers);
  }
}

}  // namespace kalaba
