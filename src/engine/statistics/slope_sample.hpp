#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kalaba/state.hpp"

namespace kalaba {

/// Sample of members with one number each and its slopes (derivatives along columns), to estimate derivatives of
/// quantiles. The choice of members depends only on their indices, so that the division into pieces does not matter.
class SlopeSample {
 public:
  /// Accepts members from `first` on, of which it samples on average this share.
  SlopeSample(std::size_t columns, double share, long first = 0) : columns_(columns), share_(share), next_(first) {}

  /// Adds the next members; `slopes` has a row of as many numbers for each column. Numbers that are not finite do not
  /// count; the slopes of those that count are finite.
  void add(std::span<const double> values, std::span<const double* const> slopes);

  /// Returns E[slope | number = value] for each column: the value there of the least-squares line through the n^(4/5)
  /// of the n members whose numbers are nearest [S77]; with this number of members, bias and noise of the line decrease
  /// at equal rates [F92]. NaN if there is no member.
  std::vector<double> slopes_at(double value) const;

  void save(StateWriter& state) const;
  /// Adds the members of a saved sample, which follow the present ones. Throws Error(file_error).
  void absorb(StateReader& state);

  /// Upper bound of the memory of a sample of `members` members.
  static double bytes(std::size_t columns, double members);

 private:
  bool is_chosen(long member) const;
  std::size_t width() const { return columns_ + 1; }
  std::size_t size() const { return rows_.size() / width(); }

  std::size_t columns_;
  double share_;
  long next_;
  std::vector<double> rows_;  // [member][number, then its slopes]
};

}  // namespace kalaba
