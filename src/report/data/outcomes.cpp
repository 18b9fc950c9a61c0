#include "report/data/outcomes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "text/nan.hpp"

namespace kalaba {
namespace {

constexpr std::size_t read_ahead = std::size_t{1} << 20;  // members

}  // namespace

void for_each_ending(const Archive& archive, const std::function<void(const Ending&)>& take) {
  const FileVariable* status = archive.inventory().find("status");
  const FileVariable* times = archive.inventory().find("failure_time");
  if (status == nullptr || times == nullptr || status->shape.size() != 1 || times->shape != status->shape) return;
  for (std::size_t first = 0; first < status->size(); first += read_ahead) {
    const std::size_t count = std::min(read_ahead, status->size() - first);
    const std::vector<double> ends = archive.numbers("status", {first}, {count});
    const std::vector<double> moments = archive.numbers("failure_time", {first}, {count});
    for (std::size_t i = 0; i < count; ++i) {
      if (!(ends[i] > 0 && ends[i] < status_count)) continue;
      take({static_cast<long>(first + i), static_cast<Status>(static_cast<int>(ends[i])), moments[i]});
    }
  }
}

std::vector<Outcome> outcomes_of(const Archive& archive, std::size_t most) {
  std::vector<Outcome> all;
  bool has_counts = false;
  for (int i = 0; i < status_count; ++i) {
    const std::string reason = status_name(static_cast<Status>(i));
    const double members = archive.inventory().number("members_" + reason);
    has_counts = has_counts || !std::isnan(members);
    all.push_back({reason, std::isnan(members) ? 0 : static_cast<long>(members), {}, nan, nan});
  }
  if (!has_counts) return {};
  for_each_ending(archive, [&](const Ending& ending) {
    Outcome& outcome = all[static_cast<std::size_t>(ending.status)];
    if (outcome.first.size() < most) outcome.first.push_back(ending.member);
    outcome.earliest = std::fmin(outcome.earliest, ending.time);
    outcome.latest = std::fmax(outcome.latest, ending.time);
  });
  std::vector<Outcome> outcomes;
  for (const Outcome& outcome : all) {
    if (outcomes.empty() || outcome.members > 0) outcomes.push_back(outcome);
  }
  return outcomes;
}

std::string members_text(const Outcome& outcome) {
  if (outcome.first.empty()) return "";
  const bool more = static_cast<long>(outcome.first.size()) < outcome.members;
  return fmt::format("{}{}", fmt::join(outcome.first, ", "), more ? ", ..." : "");
}

CountedUntil counted_until(const Ending& ending) {
  if (ending.status == Status::interrupted || !std::isfinite(ending.time)) return {};
  return {ending.time, ending.status != Status::stopped};
}

std::vector<CountedUntil> counted_until(const Archive& archive) {
  std::vector<CountedUntil> all;
  for_each_ending(archive, [&](const Ending& ending) {
    if (all.empty()) all.resize(archive.inventory().find("status")->size());
    all[static_cast<std::size_t>(ending.member)] = counted_until(ending);
  });
  return all;
}

}  // namespace kalaba
