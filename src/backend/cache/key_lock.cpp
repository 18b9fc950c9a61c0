#include "backend/cache/key_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include "backend/cache/kept_file.hpp"
#include "backend/interruption.hpp"

namespace kalaba {
namespace {

/// Returns true if the open file still has that name: the lock's holder may have removed it.
bool is_current(int descriptor, const std::string& path) {
  struct stat mine = {};
  struct stat there = {};
  return ::fstat(descriptor, &mine) == 0 && ::lstat(path.c_str(), &there) == 0 && mine.st_ino == there.st_ino &&
         mine.st_dev == there.st_dev && S_ISREG(mine.st_mode);
}

}  // namespace

KeyLock::KeyLock(const std::string& folder, const std::string& key, double most_seconds) : folder_(folder) {
  if (folder.empty() || !fault_of_folder(folder).empty()) return;
  has_made_folder_ = make_kept_folder(folder);
  path_ = std::filesystem::path(folder) / (key + ".lock");
  constexpr std::chrono::milliseconds pause(20);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(most_seconds);
  while (attempt() == Attempt::held_by_another && std::chrono::steady_clock::now() < end) {
    if (interruption_is_requested()) throw_interrupted();
    std::this_thread::sleep_for(pause);
  }
}

KeyLock::Attempt KeyLock::attempt() {
  const int descriptor = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
  if (descriptor < 0) return Attempt::impossible;
  const bool locked = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  if (locked && is_current(descriptor, path_)) {
    descriptor_ = descriptor;
    return Attempt::taken;
  }
  const bool again = locked || errno == EWOULDBLOCK || errno == EINTR;
  struct stat found = {};
  const bool is_file = ::fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode);
  ::close(descriptor);
  return again && is_file ? Attempt::held_by_another : Attempt::impossible;
}

KeyLock::~KeyLock() {
  if (is_held()) {
    ::unlink(path_.c_str());
    ::close(descriptor_);
  }
  if (has_made_folder_) ::rmdir(folder_.c_str());
}

}  // namespace kalaba
