#include "report/failed_members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "report/outcomes.hpp"
#include "report/text.hpp"

namespace kalaba {
namespace {

/// At `end` itself a member still was what its equations say. `first`, `count`: which of the members read.
void blank_after(double end, std::size_t first, std::size_t count, PlotData& data) {
  for (std::size_t t = 0; t < data.times.size(); ++t) {
    if (!(data.time(t) > end)) continue;
    for (auto& [column, values] : data.values) {
      std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(t * data.members.size() + first), count,
                  std::numeric_limits<double>::quiet_NaN());
    }
  }
}

}  // namespace

std::string leave_out_failed(const std::string& path, long member, PlotData& data) {
  if (std::filesystem::path(path).extension() != ".nc") return "";
  long failed = 0;
  for_each_ending(Archive(path), [&](const Ending& ending) {
    if (!is_failure(ending.status)) return;
    ++failed;
    if (ending.member == member) data.swarm_end = ending.time;
    if (data.contents.agents) return blank_after(ending.time, 0, data.members.size(), data);
    const auto found = std::ranges::lower_bound(data.members, ending.member);
    if (found == data.members.end() || *found != ending.member) return;
    blank_after(ending.time, static_cast<std::size_t>(found - data.members.begin()), 1, data);
  });
  return failed == 0 ? "" : fmt::format("{} failed, left out from then on", grouped(failed));
}

}  // namespace kalaba
