#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kalaba {

/// Checksum of a sequence of bytes, which may come in any pieces. It changes with every change of up to eight adjacent
/// bytes; other changes escape it with probability 2^-64. It protects against accidents, not against forgery.
class Checksum {
 public:
  void add(std::string_view bytes);
  std::uint64_t value() const;
  std::uint64_t size() const { return size_; }

  static std::uint64_t of(std::string_view bytes) {
    Checksum sum;
    sum.add(bytes);
    return sum.value();
  }

 private:
  std::uint64_t sum_ = 14695981039346656037ULL;
  std::uint64_t word_ = 0;  ///< bytes that do not fill a word yet
  std::uint64_t size_ = 0;  ///< bytes so far
};

/// Term of one number in a checksum that is the sum of such terms modulo 2^64, so that numbers may come in any order:
/// `bits` are the number's, `place` its index. For each place it is a bijection of the bits that maps 0 to 0: a sum
/// changes with every change of a single number, and numbers that were never written, which a file holds as zeros, do
/// not count.
inline std::uint64_t checksum_term(std::uint64_t bits, std::uint64_t place) {
  bits ^= bits >> 32;
  bits *= 0xD6E8FEB86659FD93ULL;
  bits ^= bits >> 29;
  return bits * (place * 0x3C6EF372FE94F82AULL + 1);  // by an odd number, another one for each place
}

}  // namespace kalaba
