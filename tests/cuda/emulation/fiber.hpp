#pragma once

#include <ucontext.h>

#include <cstddef>

namespace kalaba::emulated {

/// A stack and the place on it from which to go on.
class Fiber {
 public:
  static constexpr std::size_t stack_size = std::size_t{1} << 20;  ///< only what is touched takes memory

  /// Stands for the calling thread of the host, on the stack that it has.
  Fiber() = default;
  /// Calls body(argument), which never returns, when it is first gone to.
  Fiber(void (*body)(void*), void* argument);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Leaves `from`, the running one, for `to`; returns when something goes to `from` again.
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
  void* kept_ = nullptr;  ///< the rest is AddressSanitizer's
  const void* bottom_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace kalaba::emulated
