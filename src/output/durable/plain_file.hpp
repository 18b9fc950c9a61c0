#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kalaba {

/// A regular file that is open for reading. Pipes, devices and folders are refused: opening them could wait forever.
class PlainFile {
 public:
  /// Throws Error(file_error) where the file is absent, cannot be read or is not a regular file.
  explicit PlainFile(const std::string& path);
  ~PlainFile();
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;

  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_; }
  /// Its size when it was opened, bytes.
  std::uint64_t size() const { return size_; }
  /// All of it. Throws Error(file_error) where it has more than `most` bytes, before memory is taken.
  std::string text(std::uint64_t most) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// Reads `size` bytes at `place` of an open file. Throws Error(file_error) naming the path where they are not there.
void read_bytes(int descriptor, const std::string& path, std::uint64_t place, void* to, std::size_t size);

}  // namespace kalaba
