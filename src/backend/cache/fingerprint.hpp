#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kalaba {

/// Fingerprint of 128 bits: FNV-1a in two lanes with different initial values and multipliers. It names files and
/// detects damage; it is not collision-resistant against an attacker.
class Fingerprint {
 public:
  /// Adds a text and its length, so that "ab", "c" and "a", "bc" differ.
  void add(std::string_view text) {
    for (std::uint64_t length = text.size(), i = 0; i < 8; ++i) add_byte(static_cast<unsigned char>(length >> (8 * i)));
    for (char byte : text) add_byte(static_cast<unsigned char>(byte));
  }

  /// 32 hexadecimal digits.
  std::string hex() const {
    std::string digits;
    for (std::uint64_t lane : {first_, second_}) {
      for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[lane >> shift & 15U];
    }
    return digits;
  }

 private:
  void add_byte(unsigned char byte) {
    first_ = (first_ ^ byte) * 0x100000001b3U;
    second_ = (second_ ^ byte) * 0x9e3779b97f4a7c15U;
  }

  std::uint64_t first_ = 0xcbf29ce484222325U;
  std::uint64_t second_ = 0x6c62272e07bb0142U;
};

}  // namespace kalaba
