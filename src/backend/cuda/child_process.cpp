#include "backend/cuda/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>

#include "backend/interruption.hpp"
#include "backend/write_all.hpp"

namespace kalaba::cuda {
namespace {

void close_range(unsigned first, unsigned last) {
#ifdef SYS_close_range
  if (first <= last) static_cast<void>(::syscall(SYS_close_range, first, last, 0U));
#endif
}

/// Never returns. The length comes first, so that the parent recognizes an incomplete result.
[[noreturn]] void serve(const std::function<std::vector<char>()>& work, int descriptor, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  ::setpgid(0, 0);  // the parent handles an interrupt from the terminal
  for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) {
    ::signal(each, SIG_DFL);
  }
  // A file that another thread has open and locked would stay locked while the child runs.
  close_range(STDERR_FILENO + 1, static_cast<unsigned>(descriptor) - 1);
  close_range(static_cast<unsigned>(descriptor) + 1, UINT_MAX);
  const std::vector<char> bytes = work();
  const std::uint64_t size = bytes.size();
  const bool written = write_all(descriptor, {reinterpret_cast<const char*>(&size), sizeof size}) &&
                       write_all(descriptor, {bytes.data(), bytes.size()});
  ::_exit(written ? 0 : 1);
}

/// Reads until the child closes its end, or an interruption is requested.
std::vector<char> read_all(int descriptor) {
  constexpr int poll_milliseconds = 5;
  std::vector<char> all;
  std::array<char, 1 << 16> part;
  for (;;) {
    pollfd waited = {descriptor, POLLIN, 0};
    while (::poll(&waited, 1, poll_milliseconds) == 0) {
      if (interruption_is_requested()) return all;
    }
    const ssize_t count = ::read(descriptor, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return all;
    all.insert(all.end(), part.begin(), part.begin() + count);
  }
}

std::string ending(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return "signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
  }
  return "exit status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

ChildResult in_child_process(const std::function<std::vector<char>()>& work) {
  std::array<int, 2> pipe = {};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return {work(), ""};
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) serve(work, pipe[1], parent);
  ::close(pipe[1]);
  if (child < 0) {
    ::close(pipe[0]);
    return {work(), ""};
  }
  const std::vector<char> all = read_all(pipe[0]);
  ::close(pipe[0]);
  const bool is_interrupted = interruption_is_requested();
  if (is_interrupted) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (is_interrupted) throw_interrupted();
  std::uint64_t size = 0;
  if (all.size() >= sizeof size) std::memcpy(&size, all.data(), sizeof size);
  if (all.size() < sizeof size || all.size() - sizeof size != size) return {{}, ending(status)};
  return {{all.begin() + sizeof size, all.end()}, ""};
}

}  // namespace kalaba::cuda
