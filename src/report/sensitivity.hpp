#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/member_sample.hpp"

namespace kalaba {

/// A number of every member that was drawn on: an input or an output of the run.
struct MemberColumn {
  std::string name;
  std::string unit;
  std::vector<double> values;  ///< one a member
};

/// How far the outputs at the last saved time go with what was varied, over the members that did not fail.
struct Sensitivity {
  std::vector<MemberColumn> inputs;      ///< parameters and initial values that differ between members
  std::vector<MemberColumn> outputs;     ///< components of the state, energy, invariants, times of events; likewise
  std::vector<double> correlation;       ///< [output][input], Pearson's; NaN where it has no meaning
  std::vector<double> rank_correlation;  ///< likewise, Spearman's: Pearson's of the ranks, ties sharing theirs
};

/// Pearson's correlation of two lists; NaN where one of them is constant or not finite.
double correlation(std::span<const double> x, std::span<const double> y);

/// Ranks from 1; equal values share the mean of theirs.
std::vector<double> ranks(std::span<const double> values);

/// `initial`: names of the coordinates and rates whose initial values are inputs too. Of one swarm's agents there
/// is nothing to say: they share all that is varied.
Sensitivity sensitivity_of(const MemberSample& members, const std::vector<std::string>& initial);

}  // namespace kalaba
