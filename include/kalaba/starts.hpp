#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "kalaba/run.hpp"

namespace kalaba {

/// What becomes of starts that are not on the constraints.
enum class StartRule : int {
  as_given,     ///< nothing: they stay where they are
  project,      ///< the nearest state on the constraints, whatever was given
  keep_varied,  ///< the nearest one in which what varies between members is as it was drawn
  refuse,       ///< members whose start would have to move fail
  keep_given    ///< the nearest one in which what was given is as it was, or where there is none, as by `project`
};

constexpr std::string_view start_rule_name(StartRule rule) {
  constexpr std::string_view names[] = {"false", "true", "keep_varied", "refuse", "keep_given"};
  return names[static_cast<int>(rule)];
}

/// Of start_scale, by how much a projection may change a start before it is said to have moved: rounding.
double start_tolerance(Precision precision);
/// Whether a variable is a pure number or an angle, whose natural size is 1.
bool is_pure_number(const Variable& variable);
/// Size that the start of variable i counts with: the largest magnitude among the variables of its unit, and at least 1
/// of a pure number or an angle. `values` are the member's, `stride` apart.
double start_scale(const std::vector<Variable>& variables, std::size_t i, const double* values, long stride);

/// The function that completes a member's starts: System::complete_start, or where the system has none, one by which
/// starts that are not given follow from the parameters alone. Does not refer to `system`.
System::CompleteStart start_completion(const System& system);

/// Members of which starts that were given are to stay as they are where the backend's projection would move them.
class HoldingSource : public MemberSource {
 public:
  /// Puts these members of a block, as `fill` left it, on the constraints so that what was given stays; leaves those for
  /// which there is no such start. Returns whether any was put there.
  virtual bool hold(Block& block, const std::vector<long>& members) const = 0;
};

/// The members of `source`, put on the constraints of `system` by keep_varied or refuse before any backend has them, or
/// by keep_given as a HoldingSource: in double precision, by the reference's projection. A member for which there is no
/// such start has Status::not_assembled, or by keep_given is left to the backend's projection. `system` must outlive it.
/// Throws Error(bad_input) of a system that cannot be
/// projected: a servo's, a swarm.
std::shared_ptr<const MemberSource> put_on_constraints(const System& system, std::shared_ptr<const MemberSource> source,
                                                       const Options& options, StartRule rule);

}  // namespace kalaba
