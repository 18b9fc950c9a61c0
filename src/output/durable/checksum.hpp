#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kalaba {

/// Checksum of a sequence of bytes, which may be added in pieces of any size. It detects every change of up to eight
/// adjacent bytes; other changes remain undetected with probability 2^-64. It protects against accidents, not against
/// forgery.
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
  std::uint64_t word_ = 0;  ///< bytes of an incomplete word
  std::uint64_t size_ = 0;  ///< bytes so far
};

/// Term of one number in a checksum that is the sum of such terms modulo 2^64, so that numbers may be added in any
/// order: `bits` are the number's, `place` is its index. For each place the term is a bijection of the bits that maps 0
/// to 0: the sum changes with every change of a single number, and numbers that were never written, which a file holds
/// as zeros, contribute nothing.
inline std::uint64_t checksum_term(std::uint64_t bits, std::uint64_t place) {
  bits ^= bits >> 32;
  bits *= 0xD6E8FEB86659FD93ULL;
  bits ^= bits >> 29;
  return bits * (place * 0x3C6EF372FE94F82AULL + 1);  // an odd factor, different for each place
}

/// Path of the file with the checksum of a table; text tables cannot contain it.
std::string checksum_path(const std::string& path);

/// Writes the checksum of a published table, durably. Throws Error(file_error).
void write_table_checksum(const std::string& path, const Checksum& sum);

/// Returns true if the table has a checksum. Throws Error(file_error) if it does not match the table's bytes.
bool check_table(const std::string& path);

}  // namespace kalaba
