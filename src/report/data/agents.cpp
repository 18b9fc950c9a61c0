#include "report/data/agents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <random>

#include "report/text/text.hpp"

namespace kalaba {
namespace {

/// Random choice: evenly chosen agents of a regular start would show a spurious pattern.
std::vector<long> drawn_at_random(long count, long most) {
  const std::vector<long> all = numbers_from(0, count);
  if (count <= most) return all;
  std::vector<long> chosen;
  std::sample(all.begin(), all.end(), std::back_inserter(chosen), most, std::mt19937_64(1));
  return chosen;
}

Box box_between(const Agents& agents, std::size_t first, std::size_t last) {
  const auto count = static_cast<std::ptrdiff_t>(agents.numbers.size());
  Box box;
  for (const std::vector<double>& places : agents.places) {
    const auto begin = places.begin() + static_cast<std::ptrdiff_t>(first) * count;
    box.push_back(axis_range({begin, begin + static_cast<std::ptrdiff_t>(last - first) * count}));
  }
  return box;
}

}  // namespace

std::string Agents::share() const {
  const long shown = static_cast<long>(numbers.size());
  return shown == all ? "" : fmt::format(", {} of {}", grouped(shown), grouped(all));
}

Agents read_agents(Reader& swarm, const std::vector<long>& times, long most, long highlight) {
  const Contents& contents = swarm.contents();
  Agents agents;
  agents.all = contents.members;
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < contents.columns.size(); ++i) {
    if (contents.columns[i].field != Field::q) continue;
    columns.push_back(i);
    agents.axes.push_back(contents.columns[i]);
  }
  for (long time : times) agents.times.push_back(contents.times[static_cast<std::size_t>(time)]);
  agents.numbers = drawn_at_random(contents.members, most);
  if (highlight >= 0) {
    const auto place = std::ranges::lower_bound(agents.numbers, highlight);
    agents.highlight = place - agents.numbers.begin();
    if (place == agents.numbers.end() || *place != highlight) agents.numbers.insert(place, highlight);
  }
  agents.places = swarm.read({columns, times, agents.numbers});
  return agents;
}

void leave_out_after(double time, Agents& agents) {
  const auto kept = std::ranges::upper_bound(agents.times, time) - agents.times.begin();
  const auto first = kept * static_cast<std::ptrdiff_t>(agents.numbers.size());
  for (std::vector<double>& places : agents.places) {
    std::fill(places.begin() + first, places.end(), std::numeric_limits<double>::quiet_NaN());
  }
}

Box box_of(const Agents& agents) { return box_between(agents, 0, agents.times.size()); }
Box box_of(const Agents& agents, std::size_t time) { return box_between(agents, time, time + 1); }

double widest(const Box& box) {
  double width = 0;
  for (const Range& range : box) width = std::max(width, range.high - range.low);
  return width;
}

}  // namespace kalaba
