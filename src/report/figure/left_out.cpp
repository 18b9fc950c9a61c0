#include "report/figure/left_out.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "report/data/counted.hpp"
#include "report/text/text.hpp"

namespace kalaba {
namespace {

/// `first`, `count`: range of the members that were read.
void blank(const CountedUntil& until, std::size_t first, std::size_t count, PlotData& data) {
  for (std::size_t t = 0; t < data.times.size(); ++t) {
    if (until.counts(data.time(t))) continue;
    for (auto& [column, values] : data.values) {
      std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(t * data.members.size() + first), count,
                  std::numeric_limits<double>::quiet_NaN());
    }
  }
}

std::string in_words(long failed, long stopped) {
  if (failed + stopped == 0) return "";
  const std::string failures = failed == 0 ? "" : grouped(failed) + " failed";
  const std::string stops =
      stopped == 0 ? "" : grouped(stopped) + (stopped == 1 ? " was" : " were") + " stopped by events";
  const char* both = failed > 0 && stopped > 0 ? ", " : "";
  return failures + both + stops + ", left out from then on";
}

}  // namespace

std::string leave_out_ended(const std::string& path, long member, PlotData& data) {
  if (std::filesystem::path(path).extension() != ".nc") return "";
  long failed = 0;
  long stopped = 0;
  for_each_ending(Archive(path), [&](const Ending& ending) {
    if (ending.status == Status::interrupted) return;
    ++(ending.status == Status::stopped ? stopped : failed);
    const CountedUntil until = counted_until(ending);
    if (ending.member == member && is_failure(ending.status)) data.swarm_end = ending.time;
    if (data.contents.agents) return blank(until, 0, data.members.size(), data);
    const auto found = std::ranges::lower_bound(data.members, ending.member);
    if (found == data.members.end() || *found != ending.member) return;
    blank(until, static_cast<std::size_t>(found - data.members.begin()), 1, data);
  });
  return in_words(failed, stopped);
}

}  // namespace kalaba
