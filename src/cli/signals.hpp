#pragma once

#include <csignal>
#include <functional>
#include <stop_token>
#include <thread>

namespace kalaba {

/// Makes writes to a closed pipe or beyond a file size limit fail instead of killing the process.
void ignore_write_signals();

/// During its lifetime, SIGINT, SIGTERM and SIGHUP request a stop. A signal that comes two seconds later or more calls
/// `abandon` and ends the process with ExitCode::interrupted; in between, the run can save its members. Must be created
/// before the process starts threads, which inherit the blocked signals. Prints a line on stderr, unless it
/// `is_silent`.
class StopSignals {
 public:
  explicit StopSignals(std::function<void()> abandon, bool is_silent = false);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  void watch(const std::stop_token& end);

  std::function<void()> abandon_;
  bool is_silent_;
  std::stop_source stop_;
  sigset_t signals_ = {};
  sigset_t previous_ = {};
  std::jthread watcher_;
};

}  // namespace kalaba
