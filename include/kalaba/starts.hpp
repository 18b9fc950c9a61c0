#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "kalaba/run.hpp"

namespace kalaba {

/// Treatment of initial states that violate the constraints.
enum class StartRule : int {
  as_given,     ///< unchanged
  project,      ///< nearest state on the constraints, for all given values
  keep_varied,  ///< nearest such state in which the values that vary between members are unchanged
  refuse,       ///< members whose initial state would have to move fail
  keep_given    ///< nearest such state in which the given values are unchanged, or like `project` if there is none
};

constexpr std::string_view start_rule_name(StartRule rule) {
  constexpr std::string_view names[] = {"false", "true", "keep_varied", "refuse", "keep_given"};
  return names[static_cast<int>(rule)];
}

/// Change of an initial value by a projection, relative to start_scale, that counts as rounding.
double start_tolerance(Precision precision);
/// Returns true if a variable is a pure number or an angle, whose natural size is 1.
bool is_pure_number(const Variable& variable);
/// Scale of the initial value of variable i: the largest magnitude among the variables of its unit, and at least 1 for
/// a pure number or an angle. `values` are those of the member, with distance `stride`.
double start_scale(const std::vector<Variable>& variables, std::size_t i, const double* values, long stride);

/// Returns the function that completes a member's initial values: System::complete_start, or, if the system has none,
/// one that computes the values that are not given from the parameters only. It does not refer to `system`.
System::CompleteStart start_completion(const System& system);

/// Source of members whose given initial values are kept where the backend's projection would move them.
class HoldingSource : public MemberSource {
 public:
  /// Projects these members of a block, as written by `fill`, onto the constraints with the given values unchanged;
  /// members without such a state are unchanged. Returns true if any member was projected.
  virtual bool hold(Block& block, const std::vector<long>& members) const = 0;
};

/// Returns the members of `source`, projected onto the constraints of `system` by keep_varied or refuse before the
/// backend receives them, or by keep_given as a HoldingSource: in double precision, by the projection of the reference
/// backend. A member without such a state has Status::not_assembled, or, with keep_given, is projected by the backend.
/// `system` must outlive the result. Throws Error(bad_input) for a system that cannot be projected: one with a
/// servo-constraint, a swarm.
std::shared_ptr<const MemberSource> put_on_constraints(const System& system, std::shared_ptr<const MemberSource> source,
                                                       const Options& options, StartRule rule);

}  // namespace kalaba
