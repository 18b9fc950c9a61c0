#pragma once

#include <ucontext.h>

#include <cstddef>

namespace kalaba::emulated {

/// Stack with the saved position of its execution.
class Fiber {
 public:
  static constexpr std::size_t stack_size = std::size_t{1} << 20;  ///< only pages that are accessed use memory

  /// Represents the calling thread of the host, on its own stack.
  Fiber() = default;
  /// Calls body(argument), which never returns, at the first switch to this fiber.
  Fiber(void (*body)(void*), void* argument);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Switches from `from`, the running fiber, to `to`; returns when a switch to `from` occurs.
  static void go(Fiber& from, Fiber& to);

 private:
  static void begin();
  static void leap(Fiber& to);
  void arrive();

  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
  char* stack_ = nullptr;  ///< with a guard page below
  bool begun_ = true;
  ucontext_t beginning_{};
  void* place_[5] = {};   ///< as __builtin_setjmp fills it
  void* kept_ = nullptr;  ///< used by AddressSanitizer
  const void* bottom_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace kalaba::emulated
