#include "engine/statistics/bin_counts.hpp"

#include <algorithm>
#include <cmath>

#include "kalaba/core/base/moments.hpp"

namespace kalaba {

std::vector<double> even_edges(double low, double high, std::size_t bins) {
  std::vector<double> edges(bins + 1);
  for (std::size_t i = 0; i <= bins; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(bins);
    edges[i] = std::fma(share, high, std::fma(-share, low, low));
  }
  edges.back() = high;
  return edges;
}

void BinCounts::add(std::span<const double> values, std::span<const double> edges) {
  const std::size_t bins = edges.size() - 1;
  const double low = edges.front();
  const double high = edges.back();
  const double per_unit = static_cast<double>(bins) / (high - low);
  for (const double value : values) {
    if (!is_counted(value)) continue;
    if (value < low || value > high) {
      ++(value < low ? counts_.front() : counts_.back());
      continue;
    }
    // Comparison with the edges corrects the rounding error of the quotient.
    std::size_t bin = std::min(static_cast<std::size_t>((value - low) * per_unit), bins - 1);
    if (value < edges[bin]) --bin;
    if (bin + 1 < bins && value >= edges[bin + 1]) ++bin;
    ++counts_[1 + bin];
  }
}

void BinCounts::absorb(StateReader& state) {
  const std::vector<long> more = state.get_all<long>();
  state.require(more.size() == counts_.size(), "a histogram of as many bins");
  for (std::size_t i = 0; i < more.size(); ++i) counts_[i] += more[i];
}

double BinCounts::bytes(std::size_t bins) { return sizeof(BinCounts) + static_cast<double>((bins + 2) * sizeof(long)); }

}  // namespace kalaba
