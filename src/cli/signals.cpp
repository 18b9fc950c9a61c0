#include "cli/signals.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "kalaba/error.hpp"

namespace kalaba {

void ignore_write_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

StopSignals::StopSignals(std::function<void()> abandon, bool is_silent)
    : abandon_(std::move(abandon)), is_silent_(is_silent) {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  struct sigaction hang_up = {};  // nohup sets it to be ignored; this is kept
  if (sigaction(SIGHUP, nullptr, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN) sigaddset(&signals_, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals_, &previous_);
  watcher_ = std::jthread([this](const std::stop_token& end) { watch(end); });
}

StopSignals::~StopSignals() {
  watcher_.request_stop();
  watcher_.join();
  pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

void StopSignals::watch(const std::stop_token& end) {
  using Clock = std::chrono::steady_clock;
  constexpr timespec tick = {.tv_sec = 0, .tv_nsec = 50'000'000};
  constexpr std::chrono::seconds patience{2};  // a run usually stops in less, and saves its members
  Clock::time_point first;
  while (!end.stop_requested()) {
    if (sigtimedwait(&signals_, nullptr, &tick) < 0) continue;
    if (stop_.stop_requested()) {
      if (Clock::now() - first < patience) continue;
      abandon_();
      std::_Exit(static_cast<int>(ExitCode::interrupted));
    }
    first = Clock::now();
    if (!is_silent_) {
      std::fputs("\nstopping (on a GPU at the next saved time); interrupt again after 2 s to abandon the run\n",
                 stderr);
    }
    stop_.request_stop();
  }
}

}  // namespace kalaba
