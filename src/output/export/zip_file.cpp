#include "output/export/zip_file.hpp"

#include <zlib.h>

#include <algorithm>

namespace kalaba {
namespace {

constexpr std::uint32_t all_ones = 0xFFFFFFFF;  // the size is in the 64-bit field
constexpr std::uint16_t utf8_names = 0x0800;
constexpr std::uint16_t first_date = 0x0021;  // 1980-01-01, the earliest valid date
constexpr std::uint16_t plain_version = 20;
constexpr std::uint16_t large_version = 45;
constexpr long checksum_offset = 14;  // offset in an entry's header

/// Buffer of little-endian integers.
class Bytes {
 public:
  template <class Integer>
  Bytes& add(Integer number) {
    for (std::size_t i = 0; i < sizeof(Integer); ++i) text_ += static_cast<char>(number >> (8 * i) & 0xFF);
    return *this;
  }
  Bytes& add_text(std::string_view text) {
    text_ += text;
    return *this;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

/// Adds version, flags, method, time and date.
void add_manner(Bytes& bytes, bool large) {
  bytes.add(large ? large_version : plain_version).add(utf8_names).add(std::uint16_t{0});
  bytes.add(std::uint16_t{0}).add(first_date);
}

}  // namespace

void ZipFile::put(std::string_view bytes) {
  file_.write(bytes);
  offset_ += bytes.size();
}

void ZipFile::begin(const std::string& name, std::uint64_t size) {
  entries_.push_back({name, size, offset_, 0});
  const bool large = size >= large_;
  const std::uint32_t shown = large ? all_ones : static_cast<std::uint32_t>(size);
  Bytes head;
  head.add(std::uint32_t{0x04034b50});
  add_manner(head, large);
  head.add(std::uint32_t{0}).add(shown).add(shown).add(static_cast<std::uint16_t>(name.size()));
  head.add(static_cast<std::uint16_t>(large ? 20 : 0)).add_text(name);
  if (large) head.add(std::uint16_t{1}).add(std::uint16_t{16}).add(size).add(size);
  put(head.take());
}

void ZipFile::write(std::string_view bytes) {
  Entry& entry = entries_.back();
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::size_t count = std::min(rest.size(), std::size_t{1} << 30);  // zlib uses unsigned int for sizes
    entry.checksum = static_cast<std::uint32_t>(
        ::crc32(entry.checksum, reinterpret_cast<const Bytef*>(rest.data()), static_cast<uInt>(count)));
    rest.remove_prefix(count);
  }
  put(bytes);
}

void ZipFile::end() {
  Bytes checksum;
  checksum.add(entries_.back().checksum);
  file_.overwrite(entries_.back().offset + checksum_offset, checksum.take());
}

std::string ZipFile::directory_entry(const Entry& entry) const {
  const bool large = entry.size >= large_;
  const bool far = entry.offset >= large_;
  const std::uint32_t shown = large ? all_ones : static_cast<std::uint32_t>(entry.size);
  Bytes extra;
  if (large) extra.add(entry.size).add(entry.size);
  if (far) extra.add(entry.offset);
  const std::string fields = extra.take();
  Bytes bytes;
  bytes.add(std::uint32_t{0x02014b50}).add(large_version);
  add_manner(bytes, large || far);
  bytes.add(entry.checksum).add(shown).add(shown).add(static_cast<std::uint16_t>(entry.name.size()));
  bytes.add(static_cast<std::uint16_t>(fields.empty() ? 0 : fields.size() + 4)).add(std::uint16_t{0});
  bytes.add(std::uint16_t{0}).add(std::uint16_t{0}).add(std::uint32_t{0});
  bytes.add(far ? all_ones : static_cast<std::uint32_t>(entry.offset)).add_text(entry.name);
  if (!fields.empty()) bytes.add(std::uint16_t{1}).add(static_cast<std::uint16_t>(fields.size())).add_text(fields);
  return bytes.take();
}

std::string ZipFile::directory_end(std::uint64_t start) const {
  const std::uint64_t size = offset_ - start;
  const auto count = static_cast<std::uint64_t>(entries_.size());
  const bool large = start >= large_ || size >= large_ || count >= 0xFFFF;
  Bytes bytes;
  if (large) {
    bytes.add(std::uint32_t{0x06064b50}).add(std::uint64_t{44}).add(large_version).add(large_version);
    bytes.add(std::uint32_t{0}).add(std::uint32_t{0}).add(count).add(count).add(size).add(start);
    bytes.add(std::uint32_t{0x07064b50}).add(std::uint32_t{0}).add(offset_).add(std::uint32_t{1});
  }
  const auto shown_count = static_cast<std::uint16_t>(large ? 0xFFFF : count);
  bytes.add(std::uint32_t{0x06054b50}).add(std::uint16_t{0}).add(std::uint16_t{0}).add(shown_count).add(shown_count);
  bytes.add(large ? all_ones : static_cast<std::uint32_t>(size));
  bytes.add(large ? all_ones : static_cast<std::uint32_t>(start)).add(std::uint16_t{0});
  return bytes.take();
}

void ZipFile::finish() {
  const std::uint64_t start = offset_;
  for (const Entry& entry : entries_) put(directory_entry(entry));
  put(directory_end(start));
}

}  // namespace kalaba
