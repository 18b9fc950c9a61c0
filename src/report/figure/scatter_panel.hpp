#pragma once

#include <optional>

#include "report/data/member_numbers.hpp"
#include "report/figure/page.hpp"

namespace kalaba {

/// A point for each member at (x, y), coloured by a third number if there is one. Members without one of the numbers
/// are left out, and of many members evenly chosen ones are drawn; the panel states both.
DrawnPanel scatter_panel(const MemberColumn& x, const MemberColumn& y, const std::optional<MemberColumn>& color);

}  // namespace kalaba
