#include "crash.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

#include "block.hpp"
#include "context.hpp"
#include "stream.hpp"

namespace kalaba::emulated {

namespace {

constexpr std::size_t stack_size = std::size_t{64} * 1024;

std::array<struct sigaction, 2> former;  // of SIGSEGV and SIGBUS

std::string explanation(const void* address) {
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), "%p", address);
  const std::string place = describe_address(address);
  const std::string where = std::string("address ") + number.data() + (place.empty() ? "" : ", " + place);
  const std::string work = Stream::present_work();
  if (work.empty()) return place.empty() ? "" : "the host touched device memory: " + where;
  const std::string thread = BlockRunner::where();
  return work + (thread.empty() ? "" : ", " + thread) + ": no access to " + where;
}

/// The process is lost: that this is not safe in a signal handler does not matter any more.
void explain(int signal, siginfo_t* info, void* /*context*/) {
  sigaction(signal, &former[signal == SIGSEGV ? 0 : 1], nullptr);  // the access is tried again and ends the process
  const std::string text = explanation(info->si_addr);
  if (text.empty()) return;
  const std::string line = "emulated CUDA: " + text + "\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

void explain_crashes() {
  struct sigaction action {};
  action.sa_sigaction = &explain;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &former[0]);
  sigaction(SIGBUS, &action, &former[1]);
}

SignalStack::SignalStack() : memory_(std::make_unique<char[]>(stack_size)) {
  stack_t stack{};
  stack.ss_sp = memory_.get();
  stack.ss_size = stack_size;
  sigaltstack(&stack, nullptr);
}

SignalStack::~SignalStack() {
  stack_t stack{};
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, nullptr);
}

}  // namespace kalaba::emulated
