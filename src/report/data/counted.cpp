#include "report/data/counted.hpp"

#include <cmath>

namespace kalaba {

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
