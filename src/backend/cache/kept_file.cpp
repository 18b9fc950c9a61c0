#include "backend/cache/kept_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "backend/cache/fingerprint.hpp"
#include "backend/write_all.hpp"

namespace kalaba {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "kalaba-kept 1";  // with the number of the format
constexpr off_t largest_file = 256 << 20;            // bytes; all programs are much smaller
constexpr std::chrono::hours longest_writing{24};    // after that, the writer of a temporary file must have been killed
constexpr int most_attempts = 100;                   // temporary names that killed processes may still occupy

/// Returns the first line of a file, which validates its content.
std::string head(const std::string& key, std::string_view content) {
  Fingerprint checksum;
  checksum.add(content);
  return std::string(magic) + " " + key + " " + std::to_string(content.size()) + " " + checksum.hex() + "\n";
}

/// Creates a file with a unique name in the folder of the final file; returns -1 if this fails.
int open_temporary(const std::string& path, std::string& temporary) {
  static std::atomic<unsigned> counter{0};
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    temporary = path + "." + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".tmp";
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

bool is_key(std::string_view word) {
  return word.size() == 32 && word.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_kept_name(const fs::path& name) {
  return (name.extension() == ".cubin" || name.extension() == ".so" || name.extension() == ".gch") &&
         is_key(name.stem().string());
}

/// Returns true for a temporary file, KEY[.so].NUMBERS.tmp, or the lock of a key, KEY.lock.
bool is_temporary_name(const fs::path& name) {
  const std::string word = name.string();
  return (name.extension() == ".tmp" || name.extension() == ".lock") && is_key(word.substr(0, word.find('.')));
}

struct Kept {
  fs::file_time_type time;
  fs::path path;
  std::uintmax_t bytes;
};

std::vector<Kept> files_in(const std::string& folder, bool (*requested)(const fs::path& name)) {
  std::vector<Kept> all;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (!requested(entry->path().filename())) continue;
    std::error_code gone;  // another process may have removed it
    const Kept kept = {entry->last_write_time(gone), entry->path(), entry->file_size(gone)};
    if (!gone) all.push_back(kept);
  }
  return all;
}

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Reason why the file must not be run; empty if it is safe.
std::string fault_of(const struct stat& found) {
  if (found.st_uid != ::geteuid() && found.st_uid != 0) return "belongs to another user";
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "can be written by others";
  return "";
}

/// Reads a whole regular file if it passes the safety checks, and sets its time to now. The checks and the read use the
/// same descriptor.
std::optional<std::string> read_trusted(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return std::nullopt;
  struct stat found = {};
  std::optional<std::string> bytes;
  if (::fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode) && found.st_size <= largest_file &&
      fault_of(found).empty()) {
    bytes.emplace(static_cast<std::size_t>(found.st_size), '\0');
    std::size_t done = 0;
    for (ssize_t part = 1; part > 0 && done < bytes->size();) {
      part = ::read(descriptor, bytes->data() + done, bytes->size() - done);
      if (part < 0 && errno == EINTR)
        part = 1;  // again
      else if (part > 0)
        done += static_cast<std::size_t>(part);
    }
    bytes->resize(done);
    static_cast<void>(::futimens(descriptor, nullptr));  // may fail for a read-only cache
  }
  ::close(descriptor);
  return bytes;
}

}  // namespace

std::string cache_folder() {
  if (std::string ours = environment("KALABA_CACHE_DIR"); !ours.empty()) return ours;
  // The XDG specification requires relative paths to be ignored.
  const fs::path everyones = environment("XDG_CACHE_HOME");
  if (everyones.is_absolute()) return everyones / "kalaba";
  const std::string home = environment("HOME");
  return home.empty() ? "" : home + "/.cache/kalaba";
}

std::string fault_of_folder(const std::string& folder) {
  struct stat found = {};
  if (::stat(folder.c_str(), &found) != 0) return "";
  if (!S_ISDIR(found.st_mode)) return folder + " is no folder";
  const std::string fault = fault_of(found);
  return fault.empty() ? "" : folder + " " + fault;
}

bool make_kept_folder(const std::string& folder) {
  std::error_code error;
  const bool made = fs::create_directories(folder, error);
  if (made && !error) fs::permissions(folder, fs::perms::owner_all, error);
  return made;
}

std::optional<std::vector<char>> read_kept_file(const std::string& path, const std::string& key) {
  if (!fault_of_folder(fs::path(path).parent_path()).empty()) return std::nullopt;
  const std::optional<std::string> bytes = read_trusted(path);
  if (!bytes) return std::nullopt;
  const std::size_t line = bytes->find('\n');
  if (line == std::string::npos) return std::nullopt;
  const std::string_view content = std::string_view(*bytes).substr(line + 1);
  if (bytes->substr(0, line + 1) != head(key, content)) return std::nullopt;
  return std::vector<char>(content.begin(), content.end());
}

bool use_kept(const std::string& path) {
  struct stat found = {};
  if (::lstat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode) || !fault_of(found).empty()) return false;
  static_cast<void>(::utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW));
  return true;
}

bool write_kept_file(const std::string& path, const std::string& key, const std::vector<char>& content) {
  make_kept_folder(fs::path(path).parent_path());  // a missing folder is detected when the file is opened
  std::string temporary;
  const int descriptor = open_temporary(path, temporary);
  if (descriptor < 0) return false;
  const std::string_view bytes(content.data(), content.size());
  const bool written =
      write_all(descriptor, head(key, bytes)) && write_all(descriptor, bytes) && ::fsync(descriptor) == 0;
  const bool closed = ::close(descriptor) == 0;
  if (written && closed && std::rename(temporary.c_str(), path.c_str()) == 0) return true;
  ::unlink(temporary.c_str());
  return false;
}

void remove_oldest_kept(const std::string& folder, std::uintmax_t most_bytes) {
  const auto yesterday = fs::file_time_type::clock::now() - longest_writing;
  for (const Kept& each : files_in(folder, is_temporary_name)) {
    std::error_code error;
    if (each.time < yesterday) fs::remove(each.path, error);
  }
  std::vector<Kept> all = files_in(folder, is_kept_name);
  std::uintmax_t bytes = 0;
  for (const Kept& each : all) bytes += each.bytes;
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  for (const Kept& each : all) {
    if (bytes <= most_bytes) return;
    std::error_code error;
    fs::remove(each.path, error);
    bytes -= each.bytes;
  }
}

}  // namespace kalaba
