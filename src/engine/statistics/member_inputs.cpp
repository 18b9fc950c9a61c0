#include "engine/statistics/member_inputs.hpp"

#include <algorithm>

#include "kalaba/error.hpp"
#include "kalaba/statistics.hpp"

namespace kalaba {
namespace {

/// Returns the index of the variable whose name follows the prefix, or -1.
int index_of(const std::vector<Variable>& variables, const std::string& prefix, const std::string& name) {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (prefix + variables[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

std::span<const double> MemberInput::of(const Block& block) const {
  const std::vector<double>& rows = role == Role::parameter    ? block.parameters
                                    : role == Role::coordinate ? block.q
                                                               : block.w;
  return {rows.data() + static_cast<std::size_t>(index) * static_cast<std::size_t>(block.stride),
          static_cast<std::size_t>(block.members)};
}

MemberInput member_input(const SystemInfo& system, const std::string& name) {
  using Role = MemberInput::Role;
  struct Place {
    Role role;
    const char* prefix;
    const std::vector<Variable>& variables;
  };
  for (const Place& place :
       {Place{Role::parameter, "parameters.", system.parameters},
        Place{Role::coordinate, "initial.", system.coordinates}, Place{Role::rate, "initial.", system.rates}}) {
    if (system.agents > 0 && place.role != Role::parameter) continue;
    const int index = index_of(place.variables, place.prefix, name);
    if (place.role == Role::parameter && index >= system.first_discrete()) continue;  // not constant
    if (index >= 0) return {place.role, index, place.variables[static_cast<std::size_t>(index)].unit};
  }
  throw Error(ExitCode::bad_input,
              "statistics: expected parameters.NAME or initial.NAME of " + system.name + ", found " + name);
}

std::string unit_of_input(const SystemInfo& system, const std::string& input) {
  return member_input(system, input).unit;
}

MemberInputs::MemberInputs(const SystemInfo& system, const StatisticsOptions& requested) {
  if (requested.has(Statistic::correlation)) {
    for (const std::string& name : requested.inputs) inputs_.push_back(member_input(system, name));
  }
  if (!requested.group_by.empty()) {
    group_by_.push_back(member_input(system, requested.group_by));
    groups_ = requested.groups;
  }
}

void MemberInputs::take(const Block& block) {
  first_ = block.first;
  members_ = block.members;
  values_.clear();
  for (const MemberInput& input : inputs_) {
    const std::span<const double> row = input.of(block);
    values_.emplace_back(row.begin(), row.end());
  }
  group_of_.clear();
  for (const MemberInput& input : group_by_) {
    for (const double value : input.of(block)) {
      const auto found = std::ranges::lower_bound(groups_, value);
      const bool is_one = found != groups_.end() && *found == value;
      group_of_.push_back(is_one ? static_cast<std::size_t>(found - groups_.begin()) : groups_.size());
    }
  }
}

std::vector<const double*> MemberInputs::rows() const {
  std::vector<const double*> rows;
  for (const std::vector<double>& input : values_) rows.push_back(input.data());
  return rows;
}

void MemberInputs::require(const Block& block) const {
  if ((inputs_.empty() && group_by_.empty()) || (first_ == block.first && members_ == block.members)) return;
  throw Error(ExitCode::internal_error, "statistics: expected a block's members before its frames, now " +
                                            std::to_string(block.first) + ", found " + std::to_string(first_));
}

}  // namespace kalaba
