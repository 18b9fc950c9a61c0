#include "output/netcdf/file_holder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>

namespace kalaba {
namespace {

/// The process with a lock on the file, by the kernel's list; 0 where it does not say. A line: "1: FLOCK ADVISORY WRITE
/// 1234 fd:01:5678 0 EOF", the file by the numbers of its device and inode.
long locking_process(const struct stat& file) {
  const std::string wanted = fmt::format("{:02x}:{:02x}:{}", major(file.st_dev), minor(file.st_dev), file.st_ino);
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, how, access, place;
    long process = 0;
    if (words >> number >> kind >> how >> access >> process >> place && place == wanted && process > 0) return process;
  }
  return 0;
}

std::string name_of(long process) {
  std::string name;
  std::getline(std::ifstream(fmt::format("/proc/{}/comm", process)), name);
  return name;
}

}  // namespace

std::string file_holder(const std::string& path, bool for_writing) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return "";
  const bool is_held = ::flock(descriptor, (for_writing ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  struct stat file = {};
  const long process = is_held && ::fstat(descriptor, &file) == 0 ? locking_process(file) : 0;
  ::close(descriptor);
  if (!is_held) return "";
  if (process == 0) return "another program";
  if (process == ::getpid()) return "this process itself";
  const std::string name = name_of(process);
  return name.empty() ? fmt::format("another program (process {})", process)
                      : fmt::format("another program ({}, process {})", name, process);
}

}  // namespace kalaba
