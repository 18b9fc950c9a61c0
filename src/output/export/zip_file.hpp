#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "output/durable/pending_file.hpp"

namespace kalaba {

/// Writes a zip archive of uncompressed entries (PKWARE APPNOTE 6.3.9), with 64-bit fields if an entry or the archive
/// requires them. Output is reproducible: all dates are 1980-01-01.
class ZipFile {
 public:
  /// `large`: threshold of sizes and offsets for 64-bit fields.
  explicit ZipFile(PendingFile& file, std::uint64_t large = 0xFFFFFFFF) : file_(file), large_(large) {}

  /// Begins an entry of `size` bytes, which `write` then adds in pieces of any size.
  void begin(const std::string& name, std::uint64_t size);
  void write(std::string_view bytes);
  void end();
  /// Ends the archive.
  void finish();

 private:
  struct Entry {
    std::string name;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;
    std::uint32_t checksum = 0;
  };

  void put(std::string_view bytes);
  std::string directory_entry(const Entry& entry) const;
  std::string directory_end(std::uint64_t start) const;

  PendingFile& file_;
  std::uint64_t large_;
  std::uint64_t offset_ = 0;  // of the next byte
  std::vector<Entry> entries_;
};

}  // namespace kalaba
