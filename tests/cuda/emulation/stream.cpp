#include "stream.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "block.hpp"
#include "crash.hpp"
#include "environment.hpp"

namespace kalaba::emulated {

namespace {

thread_local const Work* present = nullptr;

}  // namespace

Stream::Stream() : worker_([this] { work_through(); }) {}

Stream::~Stream() {
  finish();
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  worker_.join();
}

long Stream::push(Work work) {
  const std::lock_guard lock(mutex_);
  if (recording_) {
    recorded_.push_back(std::move(work));
    return pushed_;
  }
  queue_.push_back(std::move(work));
  ++pushed_;
  if (!late()) wanted_ = pushed_;
  changed_.notify_all();
  return pushed_;
}

void Stream::record() {
  const std::lock_guard lock(mutex_);
  recording_ = true;
}

std::vector<Work> Stream::recorded() {
  const std::lock_guard lock(mutex_);
  recording_ = false;
  return std::exchange(recorded_, {});
}

void Stream::finish(long number) {
  std::unique_lock lock(mutex_);
  wanted_ = std::max(wanted_, number);
  changed_.notify_all();
  changed_.wait(lock, [&] { return done_ >= number; });
}

void Stream::finish() {
  long all = 0;
  {
    const std::lock_guard lock(mutex_);
    all = pushed_;
  }
  finish(all);
}

bool Stream::has_done(long number) const {
  const std::lock_guard lock(mutex_);
  return done_ >= number;
}

bool Stream::uses(const void* host, std::size_t size) const {
  const auto* begin = static_cast<const char*>(host);
  const std::lock_guard lock(mutex_);
  return std::any_of(queue_.begin(), queue_.end(), [&](const Work& work) {
    const auto* other = static_cast<const char*>(work.host);
    const std::less<> before;
    return other != nullptr && before(other, begin + size) && before(begin, other + work.size);
  });
}

std::string Stream::present_work() { return present == nullptr ? "" : present->name; }

void Stream::work_through() {
  const SignalStack signal_stack;
  BlockRunner blocks;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopped_ || done_ < std::min(wanted_, pushed_); });
    if (stopped_) return;
    present = &queue_.front();  // a deque's elements stay where they are while others are appended
    lock.unlock();
    present->run(blocks);
    lock.lock();
    present = nullptr;
    queue_.pop_front();
    ++done_;
    changed_.notify_all();
  }
}

void Event::wait() {
  std::shared_ptr<Stream> at;
  long until = 0;
  {
    const std::lock_guard lock(mutex);
    at = stream;
    until = number;
  }
  if (at) at->finish(until);
}

bool Event::reached() {
  const std::lock_guard lock(mutex);
  return stream != nullptr && stream->has_done(number);
}

}  // namespace kalaba::emulated
