#include "engine/run/start_shifts.hpp"

#include <algorithm>
#include <cmath>

#include "kalaba/starts.hpp"

namespace kalaba {
namespace {

const double* row_of(const Block& block, const GivenStart& start) {
  return (start.is_rate ? block.w : block.q).data() + start.index * block.stride;
}

}  // namespace

StartShifts::StartShifts(const System& system, const MemberSource& source, const Options& options)
    : info_(system.info), tolerance_(start_tolerance(options.precision)) {
  if (options.project_start && !info_.constraints.empty() && info_.agents == 0) given_ = source.given_starts();
}

void StartShifts::take(const Block& block) {
  drawn_.clear();
  for (const GivenStart& start : given_) {
    const double* const row = row_of(block, start);
    drawn_.insert(drawn_.end(), row, row + block.members);
  }
}

void StartShifts::add(const Block& block, StartShift& shift) const {
  for (long member = 0; member < block.members; ++member) {
    if (block.status[static_cast<std::size_t>(member)] != Status::ok) continue;
    bool moved = false;
    const auto largest = [&](bool of_rates) {
      const std::vector<double>& rows = of_rates ? block.w : block.q;
      double found = 0;
      for (long i = 0; i < (of_rates ? block.rate_count : block.coordinate_count); ++i) {
        found = std::max(found, std::abs(rows[static_cast<std::size_t>(i * block.stride + member)]));
      }
      return found;
    };
    for (std::size_t i = 0; i < given_.size(); ++i) {
      const double drawn = drawn_[i * static_cast<std::size_t>(block.members) + static_cast<std::size_t>(member)];
      const double now = row_of(block, given_[i])[member];
      const double relative = std::abs(now - drawn) / start_scale(drawn, largest(given_[i].is_rate));
      if (!(relative > tolerance_)) continue;
      moved = true;
      if (!(relative > shift.largest)) continue;
      const auto& variables = given_[i].is_rate ? info_.rates : info_.coordinates;
      shift.largest = relative;
      shift.variable = variables[static_cast<std::size_t>(given_[i].index)].name;
      shift.member = block.first + member;
      shift.drawn = drawn;
      shift.projected = now;
    }
    if (moved) ++shift.members;
  }
}

}  // namespace kalaba
