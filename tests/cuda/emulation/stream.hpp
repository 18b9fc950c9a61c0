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

/// Item of a stream's queue.
struct Work {
  std::string name;
  std::function<void(BlockRunner&)> run;
  const void* host = nullptr;  ///< host memory that it uses
  std::size_t size = 0;        ///< size of it, bytes
};

/// Queue of work and the thread that executes it in order. The call that adds work returns before it is executed.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Appends work; returns its number. While recording, adds it to the recording instead.
  long push(Work work);
  /// Begins a recording: work is stored and not executed.
  void record();
  /// Returns the recorded work and ends the recording.
  std::vector<Work> recorded();
  /// Returns when the work with that number and all work before it has been executed.
  void finish(long number);
  void finish();
  /// Returns true if the work with that number has been executed.
  bool has_done(long number) const;
  /// Returns true if work that has not been executed uses any of this host memory.
  bool uses(const void* host, std::size_t size) const;
  /// Description of the work in progress, if the calling thread is a stream's; empty otherwise.
  static std::string present_work();

 private:
  void work_through();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> queue_;  ///< the front is being executed
  long pushed_ = 0;
  long wanted_ = 0;  ///< number of the work for which a caller waits
  long done_ = 0;
  bool stopped_ = false;
  bool recording_ = false;
  std::vector<Work> recorded_;
  std::thread worker_;
};

/// Position in a stream's queue, set by the last record.
struct Event {
  std::mutex mutex;
  std::shared_ptr<Stream> stream;  ///< null before the first record
  long number = 0;
  bool timed = true;                           ///< created without CU_EVENT_DISABLE_TIMING
  std::chrono::steady_clock::time_point time;  ///< time at which the stream last reached it

  void wait();
  /// Returns true if the stream has executed all work up to the last record.
  bool reached();
};

}  // namespace kalaba::emulated
