#pragma once

#include <cstddef>
#include <string>

namespace kalaba::emulated {

/// Memory between two guard pages, its end at the second, new bytes 0xFF (as doubles: not a number). What the pages
/// cannot see, less than a word behind it and less than a page before it, is looked at by damage().
class GuardedMemory {
 public:
  /// `alignment` is that of the first byte. Throws std::bad_alloc.
  explicit GuardedMemory(std::size_t size, std::size_t alignment = 8);
  /// The addresses are never used again, so that late accesses are found.
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  char* data() const { return data_; }
  std::size_t size() const { return size_; }
  /// Lets this process touch it, or not.
  void open(bool accessible) const;
  /// Whether an address lies in the memory or in what surrounds it.
  bool surrounds(const void* address) const;
  /// What was written outside, or nothing. The memory must be open.
  std::string damage() const;

 private:
  char* base_;         ///< of the first guard page
  std::size_t pages_;  ///< bytes between the guard pages
  std::size_t size_;
  char* data_;
};

}  // namespace kalaba::emulated
