#include "backend/cache/work_folder.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace kalaba {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "kalaba-work-";
constexpr std::size_t random_letters = 6;
constexpr int most_tries = 10;

fs::path temporary_folder() {
  std::error_code error;
  const fs::path place = fs::temp_directory_path(error);
  return error ? fs::path("/tmp") : place;
}

int open_folder(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/// Returns true if this user owns the open folder and the folder still has that name.
bool is_own(int descriptor, const std::string& path) {
  struct stat mine = {};
  struct stat there = {};
  return ::fstat(descriptor, &mine) == 0 && ::lstat(path.c_str(), &there) == 0 && mine.st_ino == there.st_ino &&
         mine.st_dev == there.st_dev && mine.st_uid == ::geteuid();
}

/// Removes the folders that no process locks any more: their processes were killed.
void sweep(const fs::path& place) {
  std::error_code error;
  for (fs::directory_iterator entry(place, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(prefix) || name.size() != prefix.size() + random_letters) continue;
    const int descriptor = open_folder(entry->path());
    if (descriptor < 0) continue;
    std::error_code ignored;
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_own(descriptor, entry->path())) {
      fs::remove_all(entry->path(), ignored);
    }
    ::close(descriptor);
  }
}

}  // namespace

WorkFolder::WorkFolder() {
  const fs::path place = temporary_folder();
  sweep(place);
  for (int attempt = 0; attempt < most_tries; ++attempt) {
    std::string name = place / (std::string(prefix) + std::string(random_letters, 'X'));
    if (::mkdtemp(name.data()) == nullptr) return;
    const int descriptor = open_folder(name);
    if (descriptor < 0) continue;
    // If the file system does not support locks, no other process can lock this folder to remove it.
    const bool locked = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (locked && is_own(descriptor, name)) {
      path_ = name;
      descriptor_ = descriptor;
      return;
    }
    ::close(descriptor);  // another process has mistaken it for the folder of a killed process
  }
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  if (!path_.empty() && !is_kept_) fs::remove_all(path_, ignored);
  if (descriptor_ >= 0) ::close(descriptor_);
}

void WorkFolder::keep() {
  const fs::path from(path_);
  const fs::path to = from.parent_path() / ("kalaba-kept-" + from.filename().string().substr(prefix.size()));
  is_kept_ = true;
  if (std::rename(from.c_str(), to.c_str()) == 0) path_ = to;
}

}  // namespace kalaba
