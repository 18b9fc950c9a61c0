#include "output/durable/disk_space.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <array>
#include <cstddef>

#include "kalaba/error.hpp"
#include "kalaba/state.hpp"

namespace kalaba {

std::string bytes_text(double bytes) {
  constexpr std::array units = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < units.size(); ++unit) bytes /= 1000;
  return unit == 0 ? fmt::format("{:.0f} bytes", bytes) : fmt::format("{:.3g} {}", bytes, units[unit]);
}

void check_space(const PendingFile& file, double bytes) {
  struct statvfs disk = {};
  struct stat status = {};
  if (::fstatvfs(file.descriptor(), &disk) != 0 || ::fstat(file.descriptor(), &status) != 0) return;
  constexpr double block = 512;  // of st_blocks, on every system
  const double there = block * static_cast<double>(status.st_blocks);
  const double room = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize) + there;
  if (bytes <= room) return;
  throw Error(ExitCode::file_error,
              fmt::format("{}: expected room for its {}, found {} free on that disk; save fewer members, fields or "
                          "times (time.save_every), or statistics alone (output.trajectories = false)",
                          file.final_path(), bytes_text(bytes), bytes_text(room)));
}

void check_size(const PendingFile& file, std::size_t saved) {
  const std::size_t found = file.size();
  if (found >= saved) return;
  throw Error(ExitCode::file_error,
              fmt::format("{}: expected the {} bytes that were there when the run was saved, found {}: something else "
                          "changed it, and the run cannot be resumed",
                          file.temporary_path(), saved, found));
}

std::string saved_size(PendingFile& file) {
  file.sync();
  StateWriter state;
  state.put(file.size());
  return std::move(state).bytes();
}

void cut_back(PendingFile& file, const std::string& saved) {
  const auto size = StateReader(saved).get<std::size_t>();
  check_size(file, size);
  file.cut(size);
}

}  // namespace kalaba
