#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/data/local_indices.hpp"
#include "report/data/member_numbers.hpp"
#include "report/data/sobol_indices.hpp"
#include "report/data/statistics.hpp"

namespace kalaba {

/// Design of the varied inputs, inferred from their values.
enum class Spread {
  together,       ///< varied at the same time, at random or over a grid
  one_at_a_time,  ///< every member differs from the first one in at most one input
};

/// Range of an output along one input of a one-at-a-time design, with the others at rest.
struct Effect {
  double low = 0;   ///< minimum of the output along the input, minus its value for the first member
  double high = 0;  ///< maximum, likewise
};

/// Dependence of outputs on varied inputs. An output at the last saved time uses the members that still move then, an
/// output of an event the members to which it happened.
struct Sensitivity {
  Spread spread = Spread::together;
  std::vector<MemberColumn> inputs;   ///< parameters and starts that differ between members
  std::vector<MemberColumn> outputs;  ///< outputs that differ by more than rounding
  std::vector<long> members;          ///< [output], number of members with a value
  // For inputs varied together, [output][input]:
  std::vector<double> correlation;       ///< Pearson's; NaN if undefined
  std::vector<double> rank_correlation;  ///< Spearman's, with mean ranks for ties; NaN if undefined
  std::vector<double> share;             ///< see share_of; NaN if undefined
  std::vector<double> chance;            ///< upper bound of `share` for an input without effect, seldom exceeded
  // For one input varied at a time, [output][input]; NaN for outputs that too few members have:
  std::vector<Effect> effects;
  LocalIndices local;  ///< for a run with sensitivities
  // For the design saltelli, whose other results use a and b only:
  std::vector<std::string> drawn;   ///< inputs, in the order of the design
  std::vector<SobolIndices> sobol;  ///< [output]

  std::size_t at(std::size_t output, std::size_t input) const { return output * inputs.size() + input; }
  /// Strength of an input's effect relative to the other inputs of the output, 0 … 1; 0 if not significant.
  double strength(std::size_t output, std::size_t input) const;
};

/// Pearson's correlation of two lists over the pairs that are finite; NaN if one of them is constant.
double correlation(std::span<const double> x, std::span<const double> y);

/// Ranks from 1; equal values share their mean rank; NaN stays NaN.
std::vector<double> ranks(std::span<const double> values);

/// Share of the variance of the ranks of y that a function of x alone explains (Pearson's correlation ratio, 1905,
/// within groups of equal or neighbouring x, minus its expectation for independent x and y: Kelley's epsilon^2); and
/// the bound that it exceeds with probability 1/40 if x has no effect. NaN for too few members.
struct Share {
  double share;
  double chance;
};
Share share_of(std::span<const double> x, std::span<const double> y);

/// Returns true if no member differs from the first one in more than one of two or more inputs.
bool is_one_at_a_time(const std::vector<MemberColumn>& inputs);

/// Computes the dependence of the outputs. `initial`: coordinates and rates whose starts are inputs too. Empty for the
/// agents of one swarm, which share all inputs.
Sensitivity sensitivity_of(const MemberSample& members, const std::vector<std::string>& initial);

}  // namespace kalaba
