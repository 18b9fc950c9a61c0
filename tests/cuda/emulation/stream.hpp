#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace kalaba::emulated {

class BlockRunner;

/// One thing in a stream's queue.
struct Work {
  std::string name;
  std::function<void(BlockRunner&)> run;
  const void* host = nullptr;  ///< memory of the host that it uses
  std::size_t size = 0;        ///< bytes of it
};

/// A queue of work and the thread that does it in order. Nothing is done in the call that asks for it.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Appends; returns the number to wait for. While recording, keeps it for the recording instead.
  long push(Work work);
  /// From here on, work is kept and not done.
  void record();
  /// What was kept since; nothing is kept any more.
  std::vector<Work> recorded();
  /// Returns when the work of that number and all before it is done.
  void finish(long number);
  void finish();
  /// Whether the work of that number is done.
  bool has_done(long number) const;
  /// Whether work that is not done yet uses any of this memory of the host.
  bool uses(const void* host, std::size_t size) const;
  /// What the calling thread is at, where it is a stream's; nothing elsewhere.
  static std::string present_work();

 private:
  void work_through();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> queue_;  ///< its front is being done
  long pushed_ = 0;
  long wanted_ = 0;  ///< how far somebody waits for it to come
  long done_ = 0;
  bool stopped_ = false;
  bool recording_ = false;
  std::vector<Work> recorded_;
  std::thread worker_;
};

/// A point in a stream's queue, as the last record left it.
struct Event {
  std::mutex mutex;
  std::shared_ptr<Stream> stream;  ///< none before the first record
  long number = 0;
  bool timed = true;                           ///< created without CU_EVENT_DISABLE_TIMING
  std::chrono::steady_clock::time_point time;  ///< when the stream last reached it

  void wait();
  /// Whether the stream has done all work up to the last record.
  bool reached();
};

}  // namespace kalaba::emulated
