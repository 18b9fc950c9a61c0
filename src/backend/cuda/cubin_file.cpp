#include "backend/cuda/cubin_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "backend/cuda/fingerprint.hpp"

namespace kalaba::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "kalaba-cubin 1";  // the format's number
constexpr int most_attempts = 100;                    // names that a killed process may have left taken

/// The first line of a file: all that it must say for its content to be believed.
std::string head(const std::string& key, std::string_view cubin) {
  Fingerprint checksum;
  checksum.add(cubin);
  return std::string(magic) + " " + key + " " + std::to_string(cubin.size()) + " " + checksum.hex() + "\n";
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// A file that nobody else has, beside the one it will become; -1 where none can be made.
int open_temporary(const std::string& path, std::string& temporary) {
  static std::atomic<unsigned> counter{0};
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    temporary = path + "." + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".tmp";
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

bool is_cubin_name(const fs::path& name) {
  const std::string key = name.stem().string();
  return name.extension() == ".cubin" && key.size() == 32 &&
         key.find_first_not_of("0123456789abcdef") == std::string::npos;
}

struct KeptCubin {
  fs::file_time_type time;
  fs::path path;
  std::uintmax_t bytes;
};

std::vector<KeptCubin> cubins_in(const std::string& folder) {
  std::vector<KeptCubin> cubins;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (!is_cubin_name(entry->path().filename())) continue;
    std::error_code gone;  // another process may have removed it
    const KeptCubin cubin = {entry->last_write_time(gone), entry->path(), entry->file_size(gone)};
    if (!gone) cubins.push_back(cubin);
  }
  return cubins;
}

}  // namespace

std::optional<std::vector<char>> read_cubin_file(const std::string& path, const std::string& key) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  const std::size_t line = bytes.find('\n');
  if (line == std::string::npos) return std::nullopt;
  const std::string_view cubin = std::string_view(bytes).substr(line + 1);
  if (bytes.substr(0, line + 1) != head(key, cubin)) return std::nullopt;
  fs::last_write_time(path, fs::file_time_type::clock::now(), error);
  return std::vector<char>(cubin.begin(), cubin.end());
}

bool write_cubin_file(const std::string& path, const std::string& key, const std::vector<char>& cubin) {
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);  // opening says whether there is one now
  std::string temporary;
  const int descriptor = open_temporary(path, temporary);
  if (descriptor < 0) return false;
  const std::string_view bytes(cubin.data(), cubin.size());
  const bool written =
      write_all(descriptor, head(key, bytes)) && write_all(descriptor, bytes) && ::fsync(descriptor) == 0;
  const bool closed = ::close(descriptor) == 0;
  if (written && closed && std::rename(temporary.c_str(), path.c_str()) == 0) return true;
  ::unlink(temporary.c_str());
  return false;
}

void remove_oldest_cubins(const std::string& folder, std::uintmax_t most_bytes) {
  std::vector<KeptCubin> cubins = cubins_in(folder);
  std::uintmax_t bytes = 0;
  for (const KeptCubin& each : cubins) bytes += each.bytes;
  std::sort(cubins.begin(), cubins.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  for (const KeptCubin& each : cubins) {
    if (bytes <= most_bytes) return;
    std::error_code error;
    fs::remove(each.path, error);
    bytes -= each.bytes;
  }
}

}  // namespace kalaba::cuda
