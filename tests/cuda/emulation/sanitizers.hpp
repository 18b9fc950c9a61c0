#pragma once

#include <cstddef>

// Annotations for sanitizers about stacks that are switched manually. KALABA_EMULATION_ADDRESS and
// KALABA_EMULATION_THREAD are set by CMake: the files that switch are not instrumented by ThreadSanitizer, which would
// treat the scheduler's own variables as shared by all lanes.

#if defined(KALABA_EMULATION_ADDRESS)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(KALABA_EMULATION_THREAD)
#include <sanitizer/tsan_interface.h>
#endif

namespace kalaba::emulated {

#if defined(KALABA_EMULATION_ADDRESS)
inline void leave_stack(void** kept, const void* bottom, std::size_t size) {
  __sanitizer_start_switch_fiber(kept, bottom, size);
}
inline void reach_stack(void* kept, const void** left_bottom, std::size_t* left_size) {
  __sanitizer_finish_switch_fiber(kept, left_bottom, left_size);
}
/// Releases a stack whose calls may not have returned.
inline void forget_stack(void* bottom, std::size_t size) { __asan_unpoison_memory_region(bottom, size); }
#else
inline void leave_stack(void** /*kept*/, const void* /*bottom*/, std::size_t /*size*/) {}
inline void reach_stack(void* /*kept*/, const void** /*left_bottom*/, std::size_t* /*left_size*/) {}
inline void forget_stack(void* /*bottom*/, std::size_t /*size*/) {}
#endif

/// View of one thread of a block in ThreadSanitizer: a separate thread, ordered with the others only by releases and
/// acquires. No effect without ThreadSanitizer.
class RaceView {
 public:
#if defined(KALABA_EMULATION_THREAD)
  static constexpr bool watches = true;
  RaceView() : fiber_(__tsan_create_fiber(0)), owned_(true) {}
  explicit RaceView(std::nullptr_t /*of the running thread*/) : fiber_(__tsan_get_current_fiber()) {}
  ~RaceView() {
    if (owned_) __tsan_destroy_fiber(fiber_);
  }
  RaceView(RaceView&& other) noexcept : fiber_(other.fiber_), owned_(other.owned_) { other.owned_ = false; }
  RaceView& operator=(RaceView&&) = delete;
  void enter() const { __tsan_switch_to_fiber(fiber_, __tsan_switch_to_fiber_no_sync); }
  static void release(void* tag) { __tsan_release(tag); }
  static void acquire(void* tag) { __tsan_acquire(tag); }

 private:
  void* fiber_;
  bool owned_ = false;
#else
  static constexpr bool watches = false;
  RaceView() = default;
  explicit RaceView(std::nullptr_t /*of the running thread*/) {}
  void enter() const {}
  static void release(void* /*tag*/) {}
  static void acquire(void* /*tag*/) {}
#endif
};

}  // namespace kalaba::emulated
