#include "fiber.hpp"

#include <sys/mman.h>

#include <new>

#include "sanitizers.hpp"

namespace kalaba::emulated {

namespace {

constexpr std::size_t page_size = 4096;

thread_local Fiber* left = nullptr;     // by the last switch
thread_local Fiber* reached = nullptr;  // by it

}  // namespace

Fiber::Fiber(void (*body)(void*), void* argument) : body_(body), argument_(argument), begun_(false) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
  void* mapped = mmap(nullptr, stack_size + page_size, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  stack_ = static_cast<char*>(mapped);
  mprotect(stack_, page_size, PROT_NONE);
  bottom_ = stack_ + page_size;
  size_ = stack_size;
  getcontext(&beginning_);
  beginning_.uc_stack.ss_sp = stack_ + page_size;
  beginning_.uc_stack.ss_size = stack_size;
  beginning_.uc_link = nullptr;
  makecontext(&beginning_, &Fiber::begin, 0);
}

Fiber::~Fiber() {
  if (stack_ == nullptr) return;
  forget_stack(stack_ + page_size, stack_size);
  munmap(stack_, stack_size + page_size);
}

void Fiber::begin() {
  Fiber* self = reached;
  self->arrive();
  self->body_(self->argument_);
}

// swapcontext calls the kernel for the signal mask at every switch, which takes twenty times as long: ucontext only
// starts a fiber, then the compiler's own setjmp (which no sanitizer intercepts) switches.
__attribute__((noinline)) void Fiber::go(Fiber& from, Fiber& to) {
  left = &from;
  reached = &to;
  leave_stack(&from.kept_, to.bottom_, to.size_);
  if (__builtin_setjmp(from.place_) == 0) leap(to);
  reached->arrive();
}

__attribute__((noinline)) void Fiber::leap(Fiber& to) {
  if (to.begun_) __builtin_longjmp(to.place_, 1);
  to.begun_ = true;
  setcontext(&to.beginning_);
}

void Fiber::arrive() { reach_stack(kept_, &left->bottom_, &left->size_); }

}  // namespace kalaba::emulated
