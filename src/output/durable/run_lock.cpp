#include "output/durable/run_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>

#include "kalaba/error.hpp"
#include "output/durable/pending_file.hpp"

namespace kalaba {
namespace {

/// Returns true if the path still refers to the open file: the previous holder may have removed it.
bool is_current(int descriptor, const std::string& path) {
  struct stat mine = {};
  struct stat there = {};
  return ::fstat(descriptor, &mine) == 0 && ::stat(path.c_str(), &there) == 0 && mine.st_ino == there.st_ino &&
         mine.st_dev == there.st_dev;
}

bool is_plain(int descriptor) {
  struct stat found = {};
  return ::fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode);
}

/// Process number in the lock file; 0 if there is none.
pid_t process_in(int descriptor) {
  std::array<char, 32> text = {};
  const ssize_t size = ::pread(descriptor, text.data(), text.size() - 1, 0);
  pid_t process = 0;
  std::from_chars(text.data(), text.data() + std::max<ssize_t>(size, 0), process);
  return process;
}

std::string holder(int descriptor) {
  const pid_t process = process_in(descriptor);
  return process > 0 ? fmt::format("process {}", process) : "another process";
}

}  // namespace

RunLock::RunLock(const std::string& path) : lock_path_(partial_path(path) + ".lock") {
  check_place(path);
  for (;;) {
    descriptor_ = ::open(lock_path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (descriptor_ < 0) {
      throw Error(ExitCode::file_error, fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
    }
    if (!is_plain(descriptor_)) {
      ::close(descriptor_);
      throw Error(ExitCode::file_error, lock_path_ + ": is not a plain file");
    }
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      const std::string why = errno == EWOULDBLOCK
                                  ? holder(descriptor_) + " is writing it; wait for its end, or name another file"
                                  : fmt::format("cannot be locked: {}", std::strerror(errno));
      ::close(descriptor_);
      throw Error(ExitCode::file_error, fmt::format("{}: {}", path, why));
    }
    if (is_current(descriptor_, lock_path_)) break;
    ::close(descriptor_);
  }
  const std::string process = fmt::format("{}", ::getpid());
  // Used by the message above only; a failed write has no other effect.
  if (::ftruncate(descriptor_, 0) == 0) [[maybe_unused]]
    const ssize_t ignored = ::write(descriptor_, process.data(), process.size());
}

std::string RunLock::holder_of(const std::string& path) {
  // Reads the holder without acquiring the lock, which could block a run that starts at this moment.
  const int descriptor = ::open((partial_path(path) + ".lock").c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return "";
  const pid_t process = process_in(descriptor);
  ::close(descriptor);
  const bool lives = process > 0 && (::kill(process, 0) == 0 || errno == EPERM);
  return lives ? fmt::format("process {}", process) : "";
}

RunLock::~RunLock() {
  ::unlink(lock_path_.c_str());
  ::close(descriptor_);
}

}  // namespace kalaba
