#include "cli/processes.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <thread>

#include "cli/signals.hpp"

namespace kalaba {
namespace {

/// Child processes: running ones with their process number, ended ones with -1.
class Children {
 public:
  ~Children() { send(SIGINT); }

  void start(const std::function<ExitCode()>& work) {
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) {
      throw Error(ExitCode::internal_error, fmt::format("no process can be started: {}", std::strerror(errno)));
    }
    if (child == 0) live(parent, work);
    running_.emplace_back(child);
    codes_.push_back(ExitCode::ok);
  }

  void send(int signal) const {
    for (const std::atomic<pid_t>& each : running_) {
      if (const pid_t child = each; child > 0) ::kill(child, signal);
    }
  }

  /// Collects the codes of ended children. Returns true if some still run.
  bool collect() {
    bool some = false;
    for (std::size_t i = 0; i < running_.size(); ++i) {
      if (running_[i] < 0) continue;
      int status = 0;
      if (::waitpid(running_[i], &status, WNOHANG) == running_[i]) {
        running_[i] = -1;
        codes_[i] = code_of(status, i + 1);
      }
      some = some || running_[i] > 0;
    }
    return some;
  }

  const std::vector<ExitCode>& codes() const { return codes_; }

 private:
  /// Runs the child in a separate process group, so that the terminal's Ctrl-C does not reach it a second time. It ends
  /// with its parent.
  [[noreturn]] static void live(pid_t parent, const std::function<ExitCode()>& work) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGINT);
    const ExitCode code = ::getppid() == parent ? guarded(work) : ExitCode::interrupted;
    std::fflush(nullptr);
    ::_exit(static_cast<int>(code));
  }

  static ExitCode code_of(int status, std::size_t number) {
    if (WIFEXITED(status)) return static_cast<ExitCode>(WEXITSTATUS(status));
    std::fputs(fmt::format("kalaba: process {} was ended by signal {}\n", number, WTERMSIG(status)).c_str(), stderr);
    return ExitCode::internal_error;
  }

  std::deque<std::atomic<pid_t>> running_;  // another thread forwards a second signal
  std::vector<ExitCode> codes_;
};

}  // namespace

std::vector<ExitCode> run_in_processes(long count, const std::function<ExitCode(long)>& work) {
  constexpr std::chrono::milliseconds pause(20);
  std::fflush(nullptr);  // otherwise every child would write the buffered output again
  Children children;
  for (long i = 1; i <= count; ++i) children.start([&] { return work(i); });
  const StopSignals signals([&] { children.send(SIGINT); });
  bool is_sent = false;
  while (children.collect()) {
    if (signals.token().stop_requested() && !is_sent) children.send(SIGINT);
    is_sent = signals.token().stop_requested();
    std::this_thread::sleep_for(pause);
  }
  return children.codes();
}

}  // namespace kalaba
