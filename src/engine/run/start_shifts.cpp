#include "engine/run/start_shifts.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kalaba/starts.hpp"

namespace kalaba {

StartShifts::StartShifts(const System& system, const Options& options)
    : info_(system.info), tolerance_(start_tolerance(options.precision)) {}

void StartShifts::take(const Block& block) {
  q_ = block.q;
  w_ = block.w;
}

std::vector<long> StartShifts::moved(const Block& block, const std::vector<GivenStart>& given) const {
  std::vector<long> members;
  for (long member = 0; member < block.members; ++member) {
    const Status status = block.status[static_cast<std::size_t>(member)];
    bool moved = status == Status::not_assembled;
    for (std::size_t i = 0; status == Status::ok && !moved && i < given.size(); ++i) {
      const std::vector<double>& drawn = given[i].is_rate ? w_ : q_;
      const std::vector<double>& now = given[i].is_rate ? block.w : block.q;
      const auto at = static_cast<std::size_t>(given[i].index * block.stride + member);
      const double size = start_scale(given[i].is_rate ? info_.rates : info_.coordinates,
                                      static_cast<std::size_t>(given[i].index), drawn.data() + member, block.stride);
      moved = std::abs(now[at] - drawn[at]) > tolerance_ * std::max(size, std::abs(now[at]));
    }
    if (moved) members.push_back(member);
  }
  return members;
}

std::vector<long> StartShifts::turned(const Block& block) const {
  std::vector<long> members;
  for (long member = 0; member < block.members; ++member) {
    if (block.status[static_cast<std::size_t>(member)] != Status::ok) continue;
    for (std::size_t i = 0; i < info_.coordinates.size(); ++i) {
      const std::size_t at = i * static_cast<std::size_t>(block.stride) + static_cast<std::size_t>(member);
      if (!is_pure_number(info_.coordinates[i]) || !(std::abs(block.q[at] - q_[at]) > std::numbers::pi)) continue;
      members.push_back(member);
      break;
    }
  }
  return members;
}

void StartShifts::add(const Block& block, const ConstraintJudge& judge, StartShift& shift) const {
  for (long member = 0; member < block.members; ++member) {
    if (block.status[static_cast<std::size_t>(member)] != Status::ok) continue;
    StartShift own;
    const auto look = [&](const std::vector<Variable>& variables, const std::vector<double>& drawn,
                          const std::vector<double>& now) {
      for (std::size_t i = 0; i < variables.size(); ++i) {
        const std::size_t at = i * static_cast<std::size_t>(block.stride) + static_cast<std::size_t>(member);
        if (now[at] == drawn[at]) continue;
        const double size = start_scale(variables, i, drawn.data() + member, block.stride);
        const double relative = std::abs(now[at] - drawn[at]) / std::max(size, std::abs(now[at]));
        if (!(relative > std::max(tolerance_, own.largest))) continue;
        own = {1, relative, variables[i].name, block.first + member, drawn[at], now[at]};
      }
    };
    look(info_.coordinates, q_, block.q);
    look(info_.rates, w_, block.w);
    if (own.members == 0 || !judge.is_off(block, q_, w_, member)) continue;
    const long members = shift.members + 1;
    if (own.largest > shift.largest) shift = own;
    shift.members = members;
  }
}

}  // namespace kalaba
