#include "kalaba/backend/available_cpus.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>
#include <string_view>
#include <thread>
#include <vector>

namespace kalaba {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

int affine_cpus() {
  constexpr int most = 1 << 20;
  for (int count = CPU_SETSIZE; count <= most; count *= 2) {  // the kernel rejects a set that is too small
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(count), [](cpu_set_t* all) { CPU_FREE(all); });
    const std::size_t bytes = CPU_ALLOC_SIZE(count);
    if (set && ::sched_getaffinity(0, bytes, set.get()) == 0) return CPU_COUNT_S(bytes, set.get());
    if (errno != EINVAL) break;
  }
  return static_cast<int>(std::thread::hardware_concurrency());
}

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// Returns true if a list such as "rw,cpu,cpuacct" contains the word "cpu".
bool holds_cpu(const std::string& words) {
  std::istringstream list(words);
  for (std::string word; std::getline(list, word, ',');) {
    if (word == "cpu") return true;
  }
  return false;
}

/// Returns the path of this process's group in the hierarchy of version 2 (`is_unified`), or in the version 1 hierarchy
/// that has the CPU controller; "" if there is none. Lines are "4:cpu,cpuacct:/a/b", in version 2 "0::/a/b".
std::string group_path(const std::string& root, bool is_unified) {
  for (const std::string& line : lines_of(root + "/proc/self/cgroup")) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (is_unified ? controllers.empty() : holds_cpu(controllers)) return line.substr(second + 1);
  }
  return "";
}

/// CPUs that a group may use, without its parents' limits: quota and period in microseconds, or no quota ("max" or -1).
double quota_of_group(const std::string& folder, bool is_unified) {
  std::ifstream quota_file(folder + (is_unified ? "/cpu.max" : "/cpu.cfs_quota_us"));
  double quota = 0;
  double period = 0;
  if (!(quota_file >> quota)) return unlimited;
  if (is_unified) {
    quota_file >> period;
  } else {
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  }
  return quota > 0 && period > 0 ? quota / period : unlimited;
}

/// A hierarchy of control groups, as described by a line of /proc/self/mountinfo.
struct Hierarchy {
  std::string top;    ///< path of the mounted group
  std::string place;  ///< folder where it is mounted
  bool is_unified = false;
};

/// Returns the hierarchies that limit CPUs. A line: number, parent, device, top, place, options, ... - type source
/// options.
std::vector<Hierarchy> hierarchies(const std::string& root) {
  std::vector<Hierarchy> found;
  for (const std::string& line : lines_of(root + "/proc/self/mountinfo")) {
    std::istringstream words(line);
    std::string number, parent, device, type, source, options;
    Hierarchy each;
    words >> number >> parent >> device >> each.top >> each.place;
    for (std::string word; words >> word && word != "-";) {
    }
    words >> type >> source >> options;
    each.is_unified = type == "cgroup2";
    if (each.is_unified || (type == "cgroup" && holds_cpu(options))) found.push_back(each);
  }
  return found;
}

/// Returns the smallest quota of a group and of all groups above it in its hierarchy.
double quota_in(const std::string& root, const Hierarchy& hierarchy) {
  std::string below = group_path(root, hierarchy.is_unified);
  // In a container the hierarchy begins at the process's own group, or the path begins at the top of the machine.
  if (hierarchy.top != "/") below = below.starts_with(hierarchy.top) ? below.substr(hierarchy.top.size()) : "";
  if (below.find("..") != std::string::npos) below.clear();
  double least = unlimited;
  while (true) {
    while (below.ends_with('/')) below.pop_back();
    least = std::min(least, quota_of_group(root + hierarchy.place + below, hierarchy.is_unified));
    if (below.empty()) return least;
    below.resize(below.rfind('/') == std::string::npos ? 0 : below.rfind('/'));
  }
}

}  // namespace

double cpu_quota(const std::string& root) {
  double least = unlimited;
  for (const Hierarchy& each : hierarchies(root)) least = std::min(least, quota_in(root, each));
  return least;
}

int available_cpus() {
  static const double quota = cpu_quota();
  const double count = std::min(static_cast<double>(affine_cpus()), std::ceil(quota));
  return std::max(1, static_cast<int>(count));
}

}  // namespace kalaba
