#pragma once

#include <string>
#include <vector>

#include "report/data/member_numbers.hpp"

namespace kalaba {

/// Mean and standard deviation over the members of a derivative without its units; NaN where it has no meaning.
struct LocalIndex {
  // (s_p/s_y) dy/dp with the standard deviations s of the members: of a linear y its square is a share of the variance.
  double by_spread = 0;
  double by_spread_std = 0;
  // (p/y) dy/dp, where y has one sign: per cent a per cent.
  double elasticity = 0;
  double elasticity_std = 0;
};

/// Derivatives at the last saved time of the coordinates and rates among a file's outputs, along what its run's
/// sensitivities are.
struct LocalIndices {
  std::vector<std::string> along;  ///< "parameters.L", "initial.x"
  std::vector<MemberColumn> outputs;
  std::vector<LocalIndex> indices;  ///< [output][along]

  const LocalIndex& at(std::size_t output, std::size_t column) const { return indices[output * along.size() + column]; }
};

/// Nothing of a file without sensitivities.
LocalIndices local_indices(const MemberSample& members, const std::vector<MemberColumn>& outputs);

/// Of one derivative: numbers a member of p, y and dy/dp; members count where all three are finite.
LocalIndex local_index(const std::vector<double>& p, const std::vector<double>& y, const std::vector<double>& slopes);

}  // namespace kalaba
