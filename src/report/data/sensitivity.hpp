#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/data/local_indices.hpp"
#include "report/data/member_numbers.hpp"
#include "report/data/sobol_indices.hpp"
#include "report/data/statistics.hpp"

namespace kalaba {

/// How what was varied is spread over the members, as their values tell.
enum class Spread {
  together,       ///< all at once, at random or over a grid
  one_at_a_time,  ///< every member differs from the first one in one input at most
};

/// Members' outputs along one input of a design of one at a time, the others at rest; or all that is seen of a pair.
struct Effect {
  double low = 0;   ///< the least output along the input, less that of the first member
  double high = 0;  ///< the greatest, likewise
};

/// How far outputs go with what was varied. An output at the last saved time is of the members that move then, one of
/// an event of those to which it happened.
struct Sensitivity {
  Spread spread = Spread::together;
  std::vector<MemberColumn> inputs;   ///< parameters and initial values that differ between members
  std::vector<MemberColumn> outputs;  ///< that differ by more than rounding
  std::vector<long> members;          ///< [output], that have it
  // Of inputs varied together, [output][input]:
  std::vector<double> correlation;       ///< Pearson's; NaN where it has no meaning
  std::vector<double> rank_correlation;  ///< Spearman's: Pearson's of the ranks, ties sharing theirs; likewise
  std::vector<double> share;             ///< see share_of; likewise
  std::vector<double> chance;            ///< what `share` seldom exceeds where the input says nothing
  // One at a time, [output][input]; NaN of outputs that too few members have:
  std::vector<Effect> effects;
  LocalIndices local;  ///< of a run with sensitivities
  // Of the design saltelli, whose a and b alone the other numbers are of:
  std::vector<std::string> drawn;   ///< inputs, in the order of the design
  std::vector<SobolIndices> sobol;  ///< [output]

  std::size_t at(std::size_t output, std::size_t input) const { return output * inputs.size() + input; }
  /// How strong a pair is beside others of the output, 0 … 1; 0 where it is no more than chance.
  double strength(std::size_t output, std::size_t input) const;
};

/// Pearson's correlation of two lists over the pairs that are finite; NaN where one of them is constant.
double correlation(std::span<const double> x, std::span<const double> y);

/// Ranks from 1; equal values share the mean of theirs; NaN stays NaN.
std::vector<double> ranks(std::span<const double> values);

/// The share of the variance of the ranks of y that a function of x alone, of whatever shape, explains (the correlation
/// ratio of Pearson 1905 within groups of equal or neighbouring x, less what as many groups explain by chance: Kelley's
/// epsilon^2); and what it exceeds in one case of 40 where x says nothing. NaN of too few members.
struct Share {
  double share;
  double chance;
};
Share share_of(std::span<const double> x, std::span<const double> y);

/// Whether no member differs from the first one in more than one of two or more inputs.
bool is_one_at_a_time(const std::vector<MemberColumn>& inputs);

/// `initial`: names of the coordinates and rates whose initial values are inputs too. Of one swarm's agents there
/// is nothing to say: they share all that is varied.
Sensitivity sensitivity_of(const MemberSample& members, const std::vector<std::string>& initial);

}  // namespace kalaba
