#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kalaba/block.hpp"
#include "kalaba/options.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// A parameter, coordinate or rate that is an input of a run's members.
struct MemberInput {
  enum class Role { parameter, coordinate, rate };
  Role role = Role::parameter;
  int index = 0;  ///< among the system's parameters, coordinates or rates
  std::string unit = {};

  std::span<const double> of(const Block& block) const;
};

/// Returns the input with a name such as "parameters.L" or "initial.x". Throws Error(bad_input) if the system has none;
/// the coordinates and rates of a swarm's agents are no inputs of a member.
MemberInput member_input(const SystemInfo& system, const std::string& name);

/// Inputs of a block's members, stored before the members move.
class MemberInputs {
 public:
  MemberInputs(const SystemInfo& system, const StatisticsOptions& requested);

  void take(const Block& block);
  /// Throws Error(internal_error) if these are not the members of the last `take`.
  void require(const Block& block) const;

  /// [input]; each points to one number per member
  std::vector<const double*> rows() const;
  /// [member]: number of its group; the number of groups if it belongs to none.
  std::span<const std::size_t> group_of() const { return group_of_; }

 private:
  std::vector<MemberInput> inputs_;
  std::vector<MemberInput> group_by_;  // zero or one
  std::vector<double> groups_;
  long first_ = -1;
  long members_ = 0;
  std::vector<std::vector<double>> values_;
  std::vector<std::size_t> group_of_;
};

}  // namespace kalaba
