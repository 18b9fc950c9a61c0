#include "backend/compiled/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "backend/interruption.hpp"

namespace kalaba {
namespace {

constexpr std::size_t most_output = 64 << 10;
constexpr int poll_milliseconds = 5;  // a child may pass its pipe to another process and end

/// Starts a program as the leader of a new process group, with empty input and both outputs connected to the pipe.
/// Returns errno, or 0 if it runs.
int start(const std::vector<std::string>& words, const std::array<int, 2>& pipe, pid_t& child) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], STDERR_FILENO);
#if defined(__GLIBC_PREREQ) && __GLIBC_PREREQ(2, 34)
  // A file that another thread has open and locked, as HDF5 does, would stay locked while the child runs.
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
#endif
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  for (const int each : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGXFSZ}) sigaddset(&signals, each);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  const int failure = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

/// Reads the available output and keeps its beginning. Returns false at the end.
bool read_some(int descriptor, std::string& output) {
  char bytes[1 << 14];
  const ssize_t count = ::read(descriptor, bytes, sizeof bytes);
  if (count > 0) output.append(bytes, std::min(static_cast<std::size_t>(count), most_output - output.size()));
  return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

/// Returns true if the child has ended. It is not yet reaped, so that its group's number cannot be reused.
bool has_ended(pid_t child) {
  siginfo_t found = {};
  return ::waitid(P_PID, static_cast<id_t>(child), &found, WEXITED | WNOHANG | WNOWAIT) == 0 && found.si_pid == child;
}

enum class End { by_itself, late, interrupted };

/// Reads the output until the child ends, the time is over or an interruption is requested.
End follow(pid_t child, int descriptor, double seconds, std::string& output) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  bool is_open = true;
  while (!has_ended(child)) {
    if (Clock::now() > end) return End::late;
    if (interruption_is_requested()) return End::interrupted;
    pollfd waited = {is_open ? descriptor : -1, POLLIN, 0};
    if (::poll(&waited, 1, poll_milliseconds) > 0) is_open = read_some(descriptor, output);
  }
  pollfd left = {descriptor, POLLIN, 0};
  while (is_open && ::poll(&left, 1, 0) > 0 && Clock::now() < end) is_open = read_some(descriptor, output);
  return End::by_itself;
}

std::string in_words(int status) {
  if (WIFSIGNALED(status)) return "was ended by signal " + std::to_string(WTERMSIG(status));
  return "failed with exit status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, seconds < 1 ? "%.2f s" : "%.1f s", seconds);
  return text;
}

ProcessResult run_process(const std::vector<std::string>& words, double seconds) {
  ProcessResult result;
  std::array<int, 2> pipe = {-1, -1};
  pid_t child = 0;
  const int failure = ::pipe2(pipe.data(), O_CLOEXEC) != 0 ? errno : start(words, pipe, child);
  if (pipe[1] >= 0) ::close(pipe[1]);
  if (failure == 0) {
    const End end = follow(child, pipe[0], seconds, result.output);
    ::kill(-child, SIGKILL);  // kills the whole group, including processes that remain after the program
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    result.succeeded = end == End::by_itself && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    result.interrupted = end == End::interrupted;
    if (end == End::late) result.failure = "was killed after " + seconds_text(seconds);
    if (end == End::interrupted) result.failure = "was interrupted";
    if (end == End::by_itself && !result.succeeded) result.failure = in_words(status);
  } else {
    result.failure = std::string("cannot be run: ") + std::strerror(failure);
  }
  if (pipe[0] >= 0) ::close(pipe[0]);
  return result;
}

}  // namespace kalaba
