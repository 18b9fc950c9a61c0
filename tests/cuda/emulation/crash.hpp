#pragma once

#include <memory>

namespace kalaba::emulated {

/// Installs a handler for invalid memory accesses: before the process ends, it prints on stderr the kernel, block and
/// thread of the access, or that the host accessed device memory.
void explain_crashes();

/// Alternate stack for the calling thread's signals: the normal stack may have overflowed.
class SignalStack {
 public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  std::unique_ptr<char[]> memory_;
};

}  // namespace kalaba::emulated
