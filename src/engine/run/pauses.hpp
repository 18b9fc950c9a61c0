#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace kalaba {

/// Interrupts a backend's calls by the word of Runner::pause_on: every 100 ms, so that a run writes checkpoints and
/// reports progress however long a call takes, and at once when the run is to stop.
class Pauses {
 public:
  explicit Pauses(std::stop_token stop);
  Pauses(const Pauses&) = delete;
  Pauses& operator=(const Pauses&) = delete;

  const int* word() const { return &word_; }
  /// Clears the word before a call that is to continue.
  void clear() { set(0); }

 private:
  void set(int value);
  void tick(const std::stop_token& end);

  std::stop_token stop_;
  int word_ = 0;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::stop_callback<std::function<void()>> on_stop_;
  std::jthread clock_;
};

}  // namespace kalaba
