#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kalaba/state.hpp"

namespace kalaba {

/// One number of some members and its slopes, derivatives along columns: for estimates of how quantiles move. Which
/// members are among them depends on their index alone, so that it is no matter what pieces they come in.
class SlopeSample {
 public:
  /// Of members from `first` on, on average this share of them.
  SlopeSample(std::size_t columns, double share, long first = 0) : columns_(columns), share_(share), next_(first) {}

  /// Adds the next members; `slopes` has a row of as many numbers for each column. Numbers that are not finite do not
  /// count; the slopes of those that count are finite.
  void add(std::span<const double> values, std::span<const double* const> slopes);

  /// E[slope | number = value] of each column: the least-squares line through the n^(4/5) of the n members whose
  /// numbers are nearest [S77], there; bias and noise of such a line shrink alike with so many [F92]. NaN where there
  /// is no member.
  std::vector<double> slopes_at(double value) const;

  void save(StateWriter& state) const;
  /// Adds the members of a sample that was saved: those that come next. Throws Error(file_error).
  void absorb(StateReader& state);

  /// Memory, at most, of a sample of so many members.
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
