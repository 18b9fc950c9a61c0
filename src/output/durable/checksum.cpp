#include "output/durable/checksum.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace kalaba {
namespace {

static_assert(std::endian::native == std::endian::little);

/// FNV-1a over words of 8 bytes, with a shift that mixes high bits into low bits.
std::uint64_t with_word(std::uint64_t sum, std::uint64_t word) {
  sum = (sum ^ word) * 1099511628211ULL;
  return sum ^ sum >> 29;
}

}  // namespace

void Checksum::add(std::string_view bytes) {
  const std::size_t filled = size_ % sizeof word_;
  size_ += bytes.size();
  if (filled > 0) {
    const std::size_t count = std::min(sizeof word_ - filled, bytes.size());
    std::memcpy(reinterpret_cast<char*>(&word_) + filled, bytes.data(), count);
    bytes.remove_prefix(count);
    if (filled + count < sizeof word_) return;
    sum_ = with_word(sum_, word_);
    word_ = 0;
  }
  std::uint64_t sum = sum_;
  for (; bytes.size() >= sizeof word_; bytes.remove_prefix(sizeof word_)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    sum = with_word(sum, word);
  }
  sum_ = sum;
  if (!bytes.empty()) std::memcpy(&word_, bytes.data(), bytes.size());
}

std::uint64_t Checksum::value() const { return with_word(with_word(sum_, word_), size_); }

}  // namespace kalaba
