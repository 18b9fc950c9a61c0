#pragma once

#include <memory>
#include <string_view>

#include "kalaba/run.hpp"

namespace kalaba {

/// What becomes of starts that are not on the constraints.
enum class StartRule : int {
  as_given,     ///< nothing: they stay where they are
  project,      ///< the nearest state on the constraints, whatever was given
  keep_varied,  ///< the nearest one in which what varies between members is as it was drawn
  refuse        ///< members whose start would have to move fail
};

constexpr std::string_view start_rule_name(StartRule rule) {
  constexpr std::string_view names[] = {"false", "true", "keep_varied", "refuse"};
  return names[static_cast<int>(rule)];
}

/// Of start_scale, by how much a projection may change a start before it is said to have moved: rounding.
double start_tolerance(Precision precision);
/// Whether a variable is a pure number or an angle, whose natural size is 1.
bool is_pure_number(const Variable& variable);
/// Size that the start of variable i counts with: the largest magnitude among the variables of its unit, and at least 1
/// of a pure number or an angle. `values` are the member's, `stride` apart.
double start_scale(const std::vector<Variable>& variables, std::size_t i, const double* values, long stride);

/// The members of `source`, put on the constraints of `system` by keep_varied or refuse before any backend has them: in
/// double precision, by the reference's projection. A member for which there is no such start has
/// Status::not_assembled. `system` must outlive it. Throws Error(bad_input) of a system that cannot be
/// projected: a servo's, a swarm.
std::shared_ptr<const MemberSource> put_on_constraints(const System& system, std::shared_ptr<const MemberSource> source,
                                                       const Options& options, StartRule rule);

}  // namespace kalaba
