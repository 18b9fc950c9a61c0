#include "device_memory.hpp"

#include <bit>
#include <new>

#include "failure.hpp"

namespace kalaba::emulated {

namespace {

// Under ThreadSanitizer the lock of the windows would order all streams, and hide the races between them.
#if defined(KALABA_EMULATION_THREAD)
constexpr bool always_open = true;
#else
constexpr bool always_open = false;
#endif

std::string bytes(std::size_t count) { return std::to_string(count) + " bytes"; }

/// As much as keeps the end of the memory at its guard page: a right program relies on no more than its numbers need.
std::size_t alignment_of(std::size_t size) {
  const std::size_t divides = std::size_t{1} << std::countr_zero(size);
  return divides < 8 ? 8 : divides > 256 ? 256 : divides;
}

}  // namespace

CUdeviceptr DeviceMemory::allocate(std::size_t size, std::size_t limit) {
  const std::lock_guard lock(mutex_);
  if (size == 0) throw Failure{CUDA_ERROR_INVALID_VALUE, "no bytes requested"};
  if (size > limit || used_ > limit - size) throw Failure{CUDA_ERROR_OUT_OF_MEMORY, ""};
  std::unique_ptr<GuardedMemory> memory;
  try {
    memory = std::make_unique<GuardedMemory>(size, alignment_of(size));
  } catch (const std::bad_alloc&) {
    throw Failure{CUDA_ERROR_OUT_OF_MEMORY, ""};
  }
  if (!always_open && windows_ == 0) memory->open(false);
  const auto address = reinterpret_cast<CUdeviceptr>(memory->data());
  allocations_.emplace(address, std::move(memory));
  used_ += size;
  return address;
}

void DeviceMemory::free(CUdeviceptr address) {
  const std::lock_guard lock(mutex_);
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) {
    throw Failure{CUDA_ERROR_INVALID_VALUE, "not an allocation, or freed before"};
  }
  found->second->open(true);
  const std::string damage = found->second->damage();
  const std::size_t size = found->second->size();
  used_ -= size;
  allocations_.erase(found);
  if (!damage.empty()) throw Failure{CUDA_ERROR_ILLEGAL_ADDRESS, "an allocation of " + bytes(size) + ": " + damage};
}

void DeviceMemory::free_all() {
  const std::lock_guard lock(mutex_);
  allocations_.clear();
  used_ = 0;
}

void DeviceMemory::add_variable(CUdeviceptr address, std::size_t size) {
  const std::lock_guard lock(mutex_);
  variables_[address] = size;
}

void DeviceMemory::remove_variable(CUdeviceptr address) {
  const std::lock_guard lock(mutex_);
  variables_.erase(address);
}

bool DeviceMemory::holds(CUdeviceptr address) const {
  const std::lock_guard lock(mutex_);
  const auto next = allocations_.upper_bound(address);
  if (next != allocations_.begin() && address < std::prev(next)->first + std::prev(next)->second->size()) return true;
  const auto variable = variables_.upper_bound(address);
  return variable != variables_.begin() && address < std::prev(variable)->first + std::prev(variable)->second;
}

void DeviceMemory::check(CUdeviceptr address, std::size_t size) const {
  const std::lock_guard lock(mutex_);
  std::size_t offset = 0;
  std::size_t whole = 0;
  if (const auto next = allocations_.upper_bound(address); next != allocations_.begin()) {
    offset = address - std::prev(next)->first;
    whole = std::prev(next)->second->size();
  }
  if (const auto next = variables_.upper_bound(address); offset >= whole && next != variables_.begin()) {
    offset = address - std::prev(next)->first;
    whole = std::prev(next)->second;
  }
  if (offset >= whole) throw Failure{CUDA_ERROR_INVALID_VALUE, "not an address of device memory"};
  if (size > whole - offset) {
    throw Failure{CUDA_ERROR_INVALID_VALUE,
                  bytes(size) + " at byte " + std::to_string(offset) + " of an allocation of " + bytes(whole)};
  }
}

std::size_t DeviceMemory::used() const {
  const std::lock_guard lock(mutex_);
  return used_;
}

std::size_t DeviceMemory::allocations() const {
  const std::lock_guard lock(mutex_);
  return allocations_.size();
}

std::string DeviceMemory::describe(const void* address) const {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return {};
  for (const auto& [begin, memory] : allocations_) {
    if (!memory->surrounds(address)) continue;
    const auto offset = reinterpret_cast<CUdeviceptr>(address) - begin;
    return "byte " + std::to_string(static_cast<long long>(offset)) + " of an allocation of " + bytes(memory->size());
  }
  return {};
}

void DeviceMemory::open() {
  if (always_open) return;
  const std::lock_guard lock(mutex_);
  if (windows_++ > 0) return;
  for (const auto& [address, memory] : allocations_) memory->open(true);
}

void DeviceMemory::close() {
  if (always_open) return;
  const std::lock_guard lock(mutex_);
  if (--windows_ > 0) return;
  for (const auto& [address, memory] : allocations_) memory->open(false);
}

}  // namespace kalaba::emulated
