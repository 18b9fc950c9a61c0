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

double StartShifts::shift_of(const Block& block, std::size_t i, long member) const {
  const std::vector<double>& rows = given_[i].is_rate ? block.w : block.q;
  double largest = 0;
  for (long k = 0; k < (given_[i].is_rate ? block.rate_count : block.coordinate_count); ++k) {
    largest = std::max(largest, std::abs(rows[static_cast<std::size_t>(k * block.stride + member)]));
  }
  const double drawn = drawn_[i * static_cast<std::size_t>(block.members) + static_cast<std::size_t>(member)];
  return std::abs(row_of(block, given_[i])[member] - drawn) / start_scale(drawn, largest);
}

std::vector<long> StartShifts::moved(const Block& block) const {
  std::vector<long> members;
  for (long member = 0; member < block.members; ++member) {
    bool moved = block.status[static_cast<std::size_t>(member)] == Status::inconsistent_constraints;
    for (std::size_t i = 0; !moved && i < given_.size(); ++i) moved = shift_of(block, i, member) > tolerance_;
    if (moved) members.push_back(member);
  }
  return members;
}

void StartShifts::add(const Block& block, StartShift& shift) const {
  for (long member = 0; member < block.members; ++member) {
    if (block.status[static_cast<std::size_t>(member)] != Status::ok) continue;
    bool moved = false;
    for (std::size_t i = 0; i < given_.size(); ++i) {
      const double relative = shift_of(block, i, member);
      if (!(relative > tolerance_)) continue;
      moved = true;
      if (!(relative > shift.largest)) continue;
      const auto& variables = given_[i].is_rate ? info_.rates : info_.coordinates;
      shift.largest = relative;
      shift.variable = variables[static_cast<std::size_t>(given_[i].index)].name;
      shift.member = block.first + member;
      shift.drawn = drawn_[i * static_cast<std::size_t>(block.members) + static_cast<std::size_t>(member)];
      shift.projected = row_of(block, given_[i])[member];
    }
    if (moved) ++shift.members;
  }
}

}  // namespace kalaba
