#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/data/member_sample.hpp"

namespace kalaba {

/// A number of every member: an input or an outcome of the run.
struct MemberColumn {
  std::string name;
  std::string unit;
  std::vector<double> values;  ///< one a member; NaN where it has none
};

/// The number of every member that a text names. Throws Error naming the nearest right word.
///
///     x                               a column at the last saved time, of members that still move then
///     min(x) max(x) mean(x) std(x)    of a column over the saved times, as long as a member moves
///     change(x)                       the last less the first of these
///     time(e) last(e) count(e)        of an event: when it happened first and last (s), and how often
///     x@e                             a coordinate or rate when an event happened first
///     status                          how the member ended, a number of `Status`
///     parameters.L, initial.x         what was varied; L and any other variable of one number a member too
MemberColumn member_number(const MemberSample& members, const std::string& text);

/// What differs between members: parameters, and the initial values of the coordinates and rates `starts` ("w_a at the
/// start"). Axes of a grid come first where the file names them, in their order.
std::vector<MemberColumn> varied_inputs(const MemberSample& members, const std::vector<std::string>& starts);

/// As input_number; none where there is none of that name.
std::optional<MemberColumn> find_input(const MemberSample& members, const std::string& text);

/// A parameter ("L", "parameters.L") or initial value ("w_a", "initial.w_a").
MemberColumn input_number(const MemberSample& members, const std::string& text);

/// Three or more finite numbers that differ by more than rounding: of the numbers themselves, and of `scale`, the size
/// of what they are made of.
bool varies(const std::vector<double>& values, double scale = 0);

}  // namespace kalaba
