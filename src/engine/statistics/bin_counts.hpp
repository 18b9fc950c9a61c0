#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kalaba/state.hpp"

namespace kalaba {

/// The edges of `bins` even bins from low to high, both exact: one more than there are bins.
std::vector<double> even_edges(double low, double high, std::size_t bins);

/// Number of values in each bin: as in numpy.histogram, a bin includes its lower edge, and the last one both.
class BinCounts {
 public:
  explicit BinCounts(std::size_t bins) : counts_(bins + 2) {}

  /// Numbers that are not finite do not count. `edges`: one more than there are bins.
  void add(std::span<const double> values, std::span<const double> edges);

  long below() const { return counts_.front(); }
  long above() const { return counts_.back(); }
  std::span<const long> bins() const { return std::span(counts_).subspan(1, counts_.size() - 2); }

  void save(StateWriter& state) const { state.put(counts_); }
  /// Adds counts that were saved. Throws Error(file_error).
  void absorb(StateReader& state);

  static double bytes(std::size_t bins);

 private:
  std::vector<long> counts_;  // below, the bins, above
};

}  // namespace kalaba
