#include <algorithm>

#include "kalaba/ensemble.hpp"
#include "kalaba/member_block.hpp"

namespace kalaba {

Ensemble evenly_chosen(const System& system, const MemberSource& source, long most) {
  const SystemInfo& info = system.info;
  const long all = source.members();
  const long count = std::min(most, all);
  Ensemble sample(system, count);
  sample.give_discrete(source.given_discrete());
  const long copies = info.copies();
  Block one = member_block(info, Options(), 1);
  for (long i = 0; i < count; ++i) {
    one.assign(i * all / count, 1);
    fill_members(system, source, one);
    const auto take = [&](std::span<double> values, int first, auto row) {
      for (long copy = 0; copy < static_cast<long>(values.size()) / count; ++copy) {
        values[static_cast<std::size_t>(copy * count + i)] = (one.*row)(first + static_cast<int>(copy)).front();
      }
    };
    for (std::size_t j = 0; j < info.parameters.size(); ++j) {
      take(sample.parameter(info.parameters[j].name), static_cast<int>(j), &Block::parameter);
    }
    for (std::size_t j = 0; j < info.coordinates.size(); ++j) {
      take(sample.initial(info.coordinates[j].name), static_cast<int>(j) * static_cast<int>(copies),
           &Block::coordinate);
    }
    for (std::size_t j = 0; j < info.rates.size(); ++j) {
      take(sample.initial(info.rates[j].name), static_cast<int>(j) * static_cast<int>(copies), &Block::rate);
    }
  }
  return sample;
}

}  // namespace kalaba
