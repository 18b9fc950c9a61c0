#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/data/member_sample.hpp"

namespace kalaba {

/// A number per member: an input or a result of the run.
struct MemberColumn {
  std::string name;
  std::string unit;
  std::vector<double> values;  ///< one per member; NaN if it has none
};

/// Number of every member by its name. Throws Error naming the nearest valid name.
///
///     x                               a column at the last saved time, of members that still move then
///     min(x) max(x) mean(x) std(x)    of a column over the saved times, as long as a member moves
///     change(x)                       the last less the first of these
///     time(e) last(e) count(e)        of an event: when it happened first and last (s), and how often
///     x@e                             a coordinate or rate when an event happened first
///     status                          how the member ended, a number of `Status`
///     parameters.L, initial.x         what was varied; L and any other variable of one number a member too
MemberColumn member_number(const MemberSample& members, const std::string& text);

/// Inputs that differ between members: parameters, and the starts of the coordinates and rates `starts` ("w_a at the
/// start"). The axes of a grid come first, in their order, if the file names them.
std::vector<MemberColumn> varied_inputs(const MemberSample& members, const std::vector<std::string>& starts);

/// Like input_number; no value if there is no input of that name.
std::optional<MemberColumn> find_input(const MemberSample& members, const std::string& text);

/// Parameter ("L", "parameters.L") or start ("w_a", "initial.w_a").
MemberColumn input_number(const MemberSample& members, const std::string& text);

/// Returns true for three or more finite numbers that differ by more than rounding, relative to themselves and to
/// `scale`, the size of the terms from which they were computed.
bool varies(const std::vector<double>& values, double scale = 0);

}  // namespace kalaba
