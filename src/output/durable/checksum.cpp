#include "output/durable/checksum.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include "kalaba/error.hpp"
#include "output/durable/pending_file.hpp"
#include "output/durable/plain_file.hpp"

namespace kalaba {
namespace {

static_assert(std::endian::native == std::endian::little);

/// FNV-1a over words of 8 bytes, with a shift that mixes high bits into low bits.
std::uint64_t with_word(std::uint64_t sum, std::uint64_t word) {
  sum = (sum ^ word) * 1099511628211ULL;
  return sum ^ sum >> 29;
}

std::string text_of(std::uint64_t size, std::uint64_t value) {
  return fmt::format("kalaba checksum 1: {} bytes, {:016x}\n", size, value);
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

std::string checksum_path(const std::string& path) { return path + ".checksum"; }

void write_table_checksum(const std::string& path, const Checksum& sum) {
  PendingFile file(checksum_path(path));
  file.write(text_of(sum.size(), sum.value()));
  file.publish();
}

bool check_table(const std::string& path) {
  std::error_code ignored;
  const std::string place = checksum_path(path);
  if (!std::filesystem::exists(std::filesystem::symlink_status(place, ignored))) return false;
  constexpr std::uint64_t most = 4096;
  const MappedFile table(path);
  if (PlainFile(place).text(most) == text_of(table.bytes().size(), Checksum::of(table.bytes()))) return true;
  throw Error(ExitCode::file_error,
              fmt::format("{}: is damaged or was changed: its bytes are not those that {} is the checksum of; if the "
                          "change is intended, remove that file",
                          path, place));
}

}  // namespace kalaba
