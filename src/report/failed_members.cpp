#include "report/failed_members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "kalaba/core/status.hpp"
#include "output/archive.hpp"
#include "report/text.hpp"

namespace kalaba {
namespace {

bool has_failed(double status) { return is_failure(static_cast<Status>(static_cast<int>(status))); }

void blank_from(double failure_time, std::size_t member, PlotData& data) {
  for (std::size_t t = 0; t < data.times.size(); ++t) {
    if (data.time(t) < failure_time) continue;
    for (auto& [column, values] : data.values) {
      values[t * data.members.size() + member] = std::numeric_limits<double>::quiet_NaN();
    }
  }
}

}  // namespace

std::string leave_out_failed(const std::string& path, PlotData& data) {
  if (data.contents.agents || std::filesystem::path(path).extension() != ".nc") return "";
  const Archive archive(path);
  const auto over_members = [&](const char* name) {
    const FileVariable* found = archive.inventory().find(name);
    const bool fits = found != nullptr && found->shape == std::vector{static_cast<std::size_t>(data.contents.members)};
    return fits ? archive.numbers(*found) : std::vector<double>();
  };
  const std::vector<double> status = over_members("status");
  const std::vector<double> failure_time = over_members("failure_time");
  const auto failed = std::ranges::count_if(status, has_failed);
  if (failed == 0 || failure_time.size() != status.size()) return "";
  for (std::size_t i = 0; i < data.members.size(); ++i) {
    const auto member = static_cast<std::size_t>(data.members[i]);
    if (has_failed(status[member])) blank_from(failure_time[member], i, data);
  }
  return fmt::format("{} failed, left out from then on", grouped(failed));
}

}  // namespace kalaba
