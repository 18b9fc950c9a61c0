#include "output/durable/pending_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "kalaba/error.hpp"
#include "output/durable/checksum.hpp"

namespace kalaba {
namespace {

namespace fs = std::filesystem;

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

void check_place(const std::string& path) {
  std::error_code ignored;
  const std::string folder = folder_of(path);
  if (!fs::is_directory(folder, ignored)) {
    throw Error(ExitCode::file_error, fmt::format("{}: there is no folder {} to write it in", path, folder));
  }
  const fs::file_status there = fs::status(path, ignored);
  if (fs::is_directory(there)) {
    throw Error(ExitCode::file_error, fmt::format("{}: is a folder, expected the name of a file", path));
  }
  if (fs::exists(there) && !fs::is_regular_file(there)) {
    throw Error(ExitCode::file_error, fmt::format("{}: is not a plain file, so it cannot be replaced", path));
  }
}

std::string followed(const std::string& path) {
  constexpr int most_links = 40;  // limit of Linux
  fs::path place = path;
  std::error_code failure;
  if (fs::exists(path, failure) && !fs::is_regular_file(path, failure)) return path;  // such as a pipe
  for (int i = 0; i < most_links && fs::is_symlink(place, failure); ++i) {
    const fs::path target = fs::read_symlink(place, failure);
    if (failure) break;
    place = target.is_absolute() ? target : place.parent_path() / target;
  }
  return place.string();
}

void sync_folder_of(const std::string& path) {
  // Not all file systems support this; the files themselves are already durable.
  const int descriptor = ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

PendingFile::PendingFile(const std::string& final_path) : final_path_(followed(final_path)) {
  check_place(final_path_);
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    temporary_path_ = fmt::format("{}.{}-{}.tmp", final_path_, ::getpid(), attempt);
    descriptor_ = ::open(temporary_path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) fail(final_path, "cannot be written");
  }
}

PendingFile::PendingFile(const std::string& final_path, const std::string& temporary_path)
    : final_path_(final_path), temporary_path_(temporary_path) {
  check_place(final_path);
  // Opens regular files only: no links, no pipes.
  descriptor_ = ::open(temporary_path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  struct stat status = {};
  const bool known = descriptor_ >= 0 && ::fstat(descriptor_, &status) == 0;
  if (known && S_ISREG(status.st_mode)) return;
  const int reason = known ? 0 : errno;
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  if (known || reason == ELOOP) throw Error(ExitCode::file_error, temporary_path_ + ": is not a plain file");
  errno = reason;
  fail(final_path, "cannot be written");
}

PendingFile::~PendingFile() {
  if (descriptor_ < 0) return;
  if (is_kept_) {
    ::close(descriptor_);
    return;
  }
  ::unlink(temporary_path_.c_str());
  // Frees the space immediately, even if a library still has the file open.
  [[maybe_unused]] const int ignored = ::ftruncate(descriptor_, 0);
  ::close(descriptor_);
}

void PendingFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(final_path_, "cannot be written");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void PendingFile::cut(std::size_t size) {
  const auto end = static_cast<off_t>(size);
  if (::ftruncate(descriptor_, end) != 0 || ::lseek(descriptor_, end, SEEK_SET) < 0) {
    fail(final_path_, "cannot be written");
  }
}

void PendingFile::overwrite(std::size_t place, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(final_path_, "cannot be written");
    place += static_cast<std::size_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool PendingFile::is_in_place() const {
  struct stat mine = {};
  struct stat there = {};
  return ::fstat(descriptor_, &mine) == 0 && ::lstat(temporary_path_.c_str(), &there) == 0 &&
         mine.st_ino == there.st_ino && mine.st_dev == there.st_dev;
}

void PendingFile::require_in_place() const {
  if (is_in_place()) return;
  throw Error(ExitCode::file_error,
              fmt::format("{}: {} was removed or replaced while it was written", final_path_, temporary_path_));
}

void PendingFile::sync() {
  require_in_place();
  if (::fsync(descriptor_) != 0) fail(final_path_, "cannot be put on the disk");
}

std::size_t PendingFile::size() const {
  struct stat status = {};
  if (::fstat(descriptor_, &status) != 0) fail(final_path_, "cannot be read");
  return static_cast<std::size_t>(status.st_size);
}

void PendingFile::rename_to(const std::string& path) {
  if (!leaves_existing_) {
    if (std::rename(temporary_path_.c_str(), path.c_str()) != 0) fail(path, "cannot be given its final name");
    return;
  }
  // A link if the file system does not support this rename: neither replaces an existing file.
  bool done = ::renameat2(AT_FDCWD, temporary_path_.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0;
  if (!done && (errno == EINVAL || errno == ENOSYS)) {
    done = ::link(temporary_path_.c_str(), path.c_str()) == 0;
    if (done) ::unlink(temporary_path_.c_str());
  }
  if (done) return;
  if (errno != EEXIST) fail(path, "cannot be given its final name");
  keep();
  throw Error(ExitCode::file_error,
              fmt::format("{}: was made while the run went on, and --no-clobber leaves it; what was written is in {}",
                          path, temporary_path_));
}

void PendingFile::publish_as(const std::string& path) {
  if (::fsync(descriptor_) != 0) fail(path, "cannot be put on the disk");
  require_in_place();
  if (path != temporary_path_) {
    if (!leaves_existing_) ::unlink(checksum_path(path).c_str());
    rename_to(path);
  }
  ::close(descriptor_);
  descriptor_ = -1;
  sync_folder_of(path);
}

void PendingFile::fail(const std::string& path, const std::string& doing) const {
  throw Error(ExitCode::file_error, fmt::format("{}: {}: {}", path, doing, std::strerror(errno)));
}

std::string partial_path(const std::string& path) {
  const fs::path whole(path);
  return (whole.parent_path() / fs::path(whole.stem().string() + ".partial" + whole.extension().string())).string();
}

std::string final_path(const std::string& path) {
  const fs::path given(path);
  constexpr std::string_view mark = ".partial";
  std::string stem = given.stem().string();
  if (stem.size() <= mark.size() || !stem.ends_with(mark)) return path;
  stem.resize(stem.size() - mark.size());
  return (given.parent_path() / (stem + given.extension().string())).string();
}

}  // namespace kalaba
