#include "output/durable/disk_space.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <array>
#include <cstddef>
#include <filesystem>

#include "kalaba/error.hpp"

namespace kalaba {

std::string bytes_text(double bytes) {
  constexpr std::array units = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < units.size(); ++unit) bytes /= 1000;
  return unit == 0 ? fmt::format("{:.0f} bytes", bytes) : fmt::format("{:.3g} {}", bytes, units[unit]);
}

namespace {

/// `there`: bytes that the file has already.
void check_space(const std::string& path, double bytes, const struct statvfs& disk, double there) {
  const double room = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize) + there;
  if (bytes <= room) return;
  throw Error(ExitCode::file_error,
              fmt::format("{}: expected room for its {}, found {} free on that disk; save fewer members, fields or "
                          "times (time.save_every), or statistics alone (output.trajectories = false)",
                          path, bytes_text(bytes), bytes_text(room)));
}

double bytes_of(const struct stat& status) {
  constexpr double block = 512;  // unit of st_blocks, on every system
  return block * static_cast<double>(status.st_blocks);
}

}  // namespace

void check_space(const PendingFile& file, double bytes) {
  struct statvfs disk = {};
  struct stat status = {};
  if (::fstatvfs(file.descriptor(), &disk) != 0 || ::fstat(file.descriptor(), &status) != 0) return;
  check_space(file.final_path(), bytes, disk, bytes_of(status));
}

void check_space(const std::string& path, double bytes) {
  struct statvfs disk = {};
  struct stat unfinished = {};
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (::statvfs(folder.empty() ? "." : folder.c_str(), &disk) != 0) return;
  const bool is_there = ::stat(partial_path(path).c_str(), &unfinished) == 0;
  check_space(path, bytes, disk, is_there ? bytes_of(unfinished) : 0);
}

void check_size(const PendingFile& file, std::size_t saved) {
  const std::size_t found = file.size();
  if (found >= saved) return;
  throw Error(ExitCode::file_error,
              fmt::format("{}: expected the {} bytes that were there when the run was saved, found {}: something else "
                          "changed it, and the run cannot be resumed",
                          file.temporary_path(), saved, found));
}

}  // namespace kalaba
