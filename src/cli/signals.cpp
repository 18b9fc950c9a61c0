#include "cli/signals.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "kalaba/error.hpp"

namespace kalaba {

void ignore_write_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

StopSignals::StopSignals(std::function<void()> abandon) : abandon_(std::move(abandon)) {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals_, &previous_);
  watcher_ = std::jthread([this](const std::stop_token& end) { watch(end); });
}

StopSignals::~StopSignals() {
  watcher_.request_stop();
  watcher_.join();
  pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

void StopSignals::watch(const std::stop_token& end) {
  constexpr timespec tick = {.tv_sec = 0, .tv_nsec = 50'000'000};
  while (!end.stop_requested()) {
    if (sigtimedwait(&signals_, nullptr, &tick) < 0) continue;
    if (stop_.stop_requested()) {
      abandon_();
      std::_Exit(static_cast<int>(ExitCode::interrupted));
    }
    std::fputs("\nstopping at the next saved time, a swarm at the next step; interrupt again to abandon the run\n",
               stderr);
    stop_.request_stop();
  }
}

}  // namespace kalaba
