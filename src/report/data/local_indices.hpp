#pragma once

#include <string>
#include <vector>

#include "report/data/member_numbers.hpp"

namespace kalaba {

/// Mean and standard deviation over the members of a normalized derivative; NaN if undefined.
struct LocalIndex {
  // (s_p/s_y) dy/dp with the standard deviations s over the members: for a linear y, its square is the share of
  // variance.
  double by_spread = 0;
  double by_spread_std = 0;
  // (p/y) dy/dp, if all y have one sign: relative change of y per relative change of p.
  double elasticity = 0;
  double elasticity_std = 0;
};

/// Derivatives, at the last saved time, of the coordinates and rates among a file's outputs, along the sensitivities of
/// its run.
struct LocalIndices {
  std::vector<std::string> along;  ///< "parameters.L", "initial.x"
  std::vector<MemberColumn> outputs;
  std::vector<LocalIndex> indices;  ///< [output][along]

  const LocalIndex& at(std::size_t output, std::size_t column) const { return indices[output * along.size() + column]; }
};

/// Empty for a file without sensitivities.
LocalIndices local_indices(const MemberSample& members, const std::vector<MemberColumn>& outputs);

/// Index of one derivative, from p, y and dy/dp per member; uses the members for which all three are finite.
LocalIndex local_index(const std::vector<double>& p, const std::vector<double>& y, const std::vector<double>& slopes);

}  // namespace kalaba
