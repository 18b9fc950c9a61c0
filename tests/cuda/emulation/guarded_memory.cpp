#include "guarded_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace kalaba::emulated {

namespace {

constexpr std::size_t page = 4096;
constexpr char fresh = '\xff';

std::size_t round_up(std::size_t size, std::size_t multiple) { return (size + multiple - 1) / multiple * multiple; }

void* reserve(void* at, std::size_t bytes) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at == nullptr ? 0 : MAP_FIXED);
  return mmap(at, bytes, PROT_NONE, flags, -1, 0);
}

bool untouched(const char* begin, const char* end) {
  return std::all_of(begin, end, [](char byte) { return byte == fresh; });
}

}  // namespace

GuardedMemory::GuardedMemory(std::size_t size, std::size_t alignment) : pages_(round_up(size, page)), size_(size) {
  void* reserved = reserve(nullptr, pages_ + 2 * page);
  if (reserved == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<char*>(reserved);
  data_ = base_ + page + pages_ - round_up(size, alignment);
  open(true);
  std::memset(base_ + page, fresh, pages_);
}

GuardedMemory::~GuardedMemory() { reserve(base_, pages_ + 2 * page); }

void GuardedMemory::open(bool accessible) const {
  mprotect(base_ + page, pages_, accessible ? PROT_READ | PROT_WRITE : PROT_NONE);
}

bool GuardedMemory::surrounds(const void* address) const {
  return address >= base_ && address < base_ + pages_ + 2 * page;
}

std::string GuardedMemory::damage() const {
  if (!untouched(base_ + page, data_)) return "something wrote before its start";
  if (!untouched(data_ + size_, base_ + page + pages_)) return "something wrote behind its end";
  return {};
}

}  // namespace kalaba::emulated
