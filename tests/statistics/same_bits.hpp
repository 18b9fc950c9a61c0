#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "kalaba/statistics.hpp"

namespace kalaba {

/// Bits of numbers: all NaN are equal, 0 and -0 differ.
inline std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  bits.reserve(values.size());
  for (const double value : values) bits.push_back(std::bit_cast<std::uint64_t>(value));
  return bits;
}

inline void expect_same_bits(const FieldStatistics& a, const FieldStatistics& b) {
  SCOPED_TRACE(a.layout.name);
  EXPECT_EQ(a.layout.name, b.layout.name);
  using F = FieldStatistics;
  for (const auto values : {&F::count,
                            &F::mean,
                            &F::std,
                            &F::min,
                            &F::max,
                            &F::quantiles,
                            &F::correlation,
                            &F::histogram,
                            &F::below,
                            &F::above,
                            &F::bin_edges,
                            &F::group_count,
                            &F::group_mean,
                            &F::group_std,
                            &F::group_min,
                            &F::group_max,
                            &F::gradient_count,
                            &F::mean_gradient,
                            &F::variance_gradient,
                            &F::std_gradient,
                            &F::quantile_gradient}) {
    EXPECT_EQ(bits_of(a.*values), bits_of(b.*values));
  }
}

inline void expect_same_bits(const EnsembleStatistics& a, const EnsembleStatistics& b) {
  EXPECT_EQ(a.ok_members, b.ok_members);
  EXPECT_EQ(a.rank_error, b.rank_error);
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_EQ(a.along, b.along);
  EXPECT_EQ(a.group_by, b.group_by);
  EXPECT_EQ(a.groups, b.groups);
  ASSERT_EQ(a.fields.size(), b.fields.size());
  for (std::size_t i = 0; i < a.fields.size(); ++i) expect_same_bits(a.fields[i], b.fields[i]);
}

}  // namespace kalaba
