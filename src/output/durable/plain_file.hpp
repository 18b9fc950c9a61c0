#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kalaba {

/// Regular file open for reading. Pipes, devices and folders are refused: opening them could block forever.
class PlainFile {
 public:
  /// Throws Error(file_error) if the file does not exist, cannot be read or is not a regular file.
  explicit PlainFile(const std::string& path);
  ~PlainFile();
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;

  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_; }
  /// Size when the file was opened, bytes.
  std::uint64_t size() const { return size_; }
  /// Content of the file. Throws Error(file_error) if it has more than `most` bytes, before allocating memory.
  std::string text(std::uint64_t most) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// Reads `size` bytes at offset `place` of an open file. Throws Error(file_error) naming the path if the file is
/// shorter.
void read_bytes(int descriptor, const std::string& path, std::uint64_t place, void* to, std::size_t size);

/// Read-only memory map of a file. Throws Error(file_error) if it cannot be read.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace kalaba
