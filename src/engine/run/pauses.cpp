#include "engine/run/pauses.hpp"

#include <atomic>
#include <chrono>
#include <utility>

namespace kalaba {
namespace {

constexpr std::chrono::milliseconds interval{100};

}  // namespace

Pauses::Pauses(std::stop_token stop)
    : stop_(stop),
      on_stop_(std::move(stop), [this] { set(2); }),
      clock_([this](const std::stop_token& end) { tick(end); }) {}

void Pauses::set(int value) { std::atomic_ref<int>(word_).store(value, std::memory_order_relaxed); }

void Pauses::tick(const std::stop_token& end) {
  std::unique_lock lock(mutex_);
  while (!end.stop_requested()) {
    wake_.wait_for(lock, end, interval, [] { return false; });
    set(stop_.stop_requested() ? 2 : 1);
  }
}

}  // namespace kalaba
