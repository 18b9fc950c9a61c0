#pragma once

#include <cstddef>
#include <string>

namespace kalaba::emulated {

/// Memory between two guard pages, with its end at the second; new bytes are 0xFF (NaN as double). damage() checks the
/// bytes that the guard pages do not cover: less than a word behind the memory, and less than a page before it.
class GuardedMemory {
 public:
  /// `alignment`: of the first byte. Throws std::bad_alloc.
  explicit GuardedMemory(std::size_t size, std::size_t alignment = 8);
  /// The addresses are never reused, so that accesses after the end are detected.
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  char* data() const { return data_; }
  std::size_t size() const { return size_; }
  /// Makes the memory accessible to this process, or inaccessible.
  void open(bool accessible) const;
  /// Returns true if an address lies in the memory or in its guard regions.
  bool surrounds(const void* address) const;
  /// Description of a write outside the memory; empty if there was none. The memory must be open.
  std::string damage() const;

 private:
  char* base_;         ///< of the first guard page
  std::size_t pages_;  ///< bytes between the guard pages
  std::size_t size_;
  char* data_;
};

}  // namespace kalaba::emulated
