#pragma once

#include <memory>

namespace kalaba::emulated {

/// Before the process dies of an access to memory that is not there: says on stderr which kernel, block and thread made
/// it, or that the host touched device memory.
void explain_crashes();

/// A second stack for the calling thread's signals: the first may be what has run out.
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
