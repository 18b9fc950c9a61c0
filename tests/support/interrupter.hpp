#pragma once

#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>

namespace kalaba::test {

/// Sets the word of Runner::pause_on repeatedly, each time for a moment.
class Interrupter {
 public:
  const int* word() const { return &word_; }

 private:
  void set(int value) { std::atomic_ref<int>(word_).store(value, std::memory_order_relaxed); }

  int word_ = 0;
  std::jthread thread_{[this](const std::stop_token& end) {
    for (unsigned i = 0; !end.stop_requested(); ++i) {
      std::this_thread::sleep_for(std::chrono::microseconds(20 + i * 37 % 200));
      set(1);
      std::this_thread::sleep_for(std::chrono::microseconds(i * 13 % 50));
      set(0);
    }
  }};
};

}  // namespace kalaba::test
