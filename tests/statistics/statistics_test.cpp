#include <gtest/gtest.h>

#include <cstring>
#include <span>

#include "engine/statistics/moments_accumulator.hpp"
#include "engine/statistics/quantile_sketch.hpp"
#include "kalaba/error.hpp"
#include "statistics/plain.hpp"

namespace kalaba {
namespace {

const std::vector<std::size_t> piece_sizes = {1, 7, 64, 1000, 4096, 5000};
const std::vector<double> shares = {0, 0.001, 0.05, 0.3, 0.5, 0.95, 1};

/// Calls add(piece) with all the values in pieces of a size.
template <class Add>
void in_pieces(const std::vector<double>& values, std::size_t size, const Add& add) {
  const std::span<const double> all(values);
  for (std::size_t i = 0; i < values.size(); i += size) add(all.subspan(i, std::min(size, values.size() - i)));
}

Moments moments_of(const std::vector<double>& values, std::size_t piece) {
  MomentsAccumulator accumulator;
  in_pieces(values, piece, [&](auto values) { accumulator.add(values); });
  EXPECT_EQ(accumulator.members(), static_cast<long>(values.size()));
  return accumulator.total();
}

Moments moments_of(const std::vector<double>& values) { return moments_of(values, values.size()); }

QuantileSketch sketch_of(const std::vector<double>& values, long kept, std::size_t piece) {
  QuantileSketch sketch(kept);
  in_pieces(values, piece, [&](auto values) { sketch.add(values); });
  return sketch;
}

QuantileSketch::Quantiles quantiles_of(const std::vector<double>& values, long kept) {
  return sketch_of(values, kept, values.size()).quantiles(shares);
}

/// Takes out members as a failure would: a whole leaf and more of 4096 and of 256, and one of each five behind.
std::vector<double> with_failures(std::vector<double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool failed = (i >= 4000 && i < 9000) || (i > 50'000 && i % 5 == 0) || i % 4096 == 0;
    if (failed) values[i] = i % 3 == 0 ? nan_number : i % 3 == 1 ? HUGE_VAL : -HUGE_VAL;
  }
  return values;
}

void expect_near(const Moments& found, const Moments& expected, double tolerance) {
  const double deviation = std::sqrt(expected.squares / expected.count);
  EXPECT_EQ(found.count, expected.count);
  EXPECT_NEAR(found.mean, expected.mean, tolerance * (deviation + std::abs(expected.mean)));
  EXPECT_NEAR(found.squares, expected.squares, tolerance * expected.squares);
  EXPECT_EQ(found.least, expected.least);
  EXPECT_EQ(found.greatest, expected.greatest);
}

TEST(Moments, AgreeWithPlainFormulas) {
  for (const std::string& kind : kinds_of_numbers) {
    for (const std::size_t count : {2U, 63U, 65U, 4096U, 4097U, 100'003U}) {
      SCOPED_TRACE(kind + " " + std::to_string(count));
      const std::vector<double> values = numbers(kind, count);
      if (kind == "constant") {
        EXPECT_EQ(moments_of(values).squares, 0);
        EXPECT_EQ(moments_of(values).mean, 0.1);
      } else {
        expect_near(moments_of(values), plain_moments(values), 1e-12);
      }
    }
  }
}

TEST(Moments, LeaveOutWhatIsNotFinite) {
  const std::vector<double> values = with_failures(numbers("normal", 100'003));
  ASSERT_LT(counted(values).size(), 90'000U);
  expect_near(moments_of(values), plain_moments(counted(values)), 1e-12);
}

TEST(Moments, KeepTheVarianceBesideALargeOffset) {
  std::vector<double> values = numbers("normal", 300'000);
  for (double& value : values) value = 1e9 + 1e-3 * value;
  const Moments expected = plain_moments(values);
  EXPECT_NEAR(moments_of(values).squares, expected.squares, 1e-6 * expected.squares);
  EXPECT_NEAR(moments_of(values).mean, expected.mean, 2e-7);
}

TEST(Moments, KeepTheVarianceWhereTheOriginLiesFarOut) {
  std::vector<double> values = numbers("normal", 4096);
  values[0] = 1e6;
  const Moments expected = plain_moments(values);
  EXPECT_NEAR(moments_of(values).squares, expected.squares, 1e-10 * expected.squares);
}

TEST(Moments, OfOneOrNone) {
  EXPECT_EQ(moments_of({3.5}).count, 1);
  EXPECT_EQ(moments_of({3.5}).mean, 3.5);
  EXPECT_EQ(moments_of({3.5}).squares, 0);
  EXPECT_EQ(moments_of(std::vector(5000, nan_number)).count, 0);
  EXPECT_EQ(MomentsAccumulator().total().count, 0);
}

TEST(Moments, HaveTheSameBitsInAnyPieces) {
  for (const std::string& kind : kinds_of_numbers) {
    const std::vector<double> values = with_failures(numbers(kind, 100'003));
    const Moments whole = moments_of(values);
    for (const std::size_t size : piece_sizes) {
      const Moments pieces = moments_of(values, size);
      EXPECT_EQ(std::memcmp(&pieces, &whole, sizeof whole), 0) << kind << " in pieces of " << size;
    }
  }
}

TEST(Moments, TakeLeavesThatOthersHaveSummed) {
  const std::vector<double> values = with_failures(numbers("normal", 20'000));
  MomentsAccumulator mixed;
  mixed.add(std::span(values).first(2 * leaf_members));
  in_pieces({values.begin() + 2 * leaf_members, values.end()}, leaf_members, [&](std::span<const double> leaf) {
    mixed.add_leaf(moments_of({leaf.begin(), leaf.end()}), static_cast<long>(leaf.size()));
  });
  EXPECT_EQ(mixed.total().squares, moments_of(values).squares);
  EXPECT_EQ(mixed.total().mean, moments_of(values).mean);
  MomentsAccumulator open;
  open.add(std::span(values).first(5));
  EXPECT_THROW(open.add_leaf({}, leaf_members), Error);
}

TEST(Quantiles, AreNumpys) {
  QuantileSketch sketch(64);
  sketch.add(std::vector<double>{4, 2, nan_number, 3, 1});
  const std::vector<double> some = {0, 0.05, 0.5, 0.95, 1};
  const std::vector<double> numpy = {1, 1.15, 2.5, 3.8499999999999996, 4};
  EXPECT_EQ(sketch.quantiles(some).values, numpy);
}

TEST(Quantiles, AreExactWhileTheMembersAreKept) {
  for (const std::string& kind : kinds_of_numbers) {
    for (const std::size_t count : {1U, 2U, 3U, 255U, 1000U, 4096U}) {
      const std::vector<double> values = numbers(kind, count);
      const auto [found, number, error] = quantiles_of(values, 256);
      EXPECT_EQ(error, 0);
      for (std::size_t i = 0; i < shares.size(); ++i) {
        const double expected = plain_quantile(values, shares[i]);
        EXPECT_NEAR(found[i], expected, 1e-15 * std::abs(expected)) << kind << " " << count << " at " << shares[i];
      }
    }
  }
}

TEST(Quantiles, AreExactOfFewThatCountAmongMany) {
  std::vector<double> values(300'000, nan_number);
  for (std::size_t i = 11; i < values.size(); i += 100) values[i] = static_cast<double>(i * i % 1009);
  const auto [found, number, error] = quantiles_of(values, 256);
  EXPECT_EQ(number, 3000);
  EXPECT_EQ(error, 0);
  for (std::size_t i = 0; i < shares.size(); ++i) EXPECT_EQ(found[i], plain_quantile(counted(values), shares[i]));
}

TEST(Quantiles, AreOfRanksWithinTheBound) {
  for (const std::string& kind : kinds_of_numbers) {
    for (const std::size_t count : {4097U, 65'536U, 300'001U}) {
      for (const bool failures : {false, true}) {
        std::vector<double> values = numbers(kind, count);
        if (failures) values = with_failures(values);
        const auto [found, number, error] = quantiles_of(values, 256);
        std::vector<double> sorted = counted(values);
        std::ranges::sort(sorted);
        const auto size = static_cast<double>(sorted.size());
        EXPECT_EQ(number, size);
        const double promised =
            (std::log2(static_cast<double>(count) / 256) / 4 + 2) / 256 * static_cast<double>(count);
        EXPECT_TRUE(failures || error <= promised) << kind << " " << count << ": " << error;
        for (std::size_t i = 0; i < shares.size(); ++i) {
          EXPECT_LE(rank_distance(sorted, found[i], shares[i] * (size - 1)), error)
              << kind << " " << count << " at " << shares[i] << (failures ? " with failures" : "");
        }
      }
    }
  }
}

TEST(Quantiles, HaveTheSameBitsInAnyPieces) {
  for (const std::string& kind : kinds_of_numbers) {
    const std::vector<double> values = with_failures(numbers(kind, 100'003));
    const auto whole = quantiles_of(values, 256);
    for (const std::size_t size : piece_sizes) {
      const auto pieces = sketch_of(values, 256, size).quantiles(shares);
      EXPECT_EQ(pieces.values, whole.values) << kind << " in pieces of " << size;
      EXPECT_EQ(pieces.rank_error, whole.rank_error);
    }
  }
}

/// Statistics of the members of one node by the algorithms of a device.
SampleNode device_node(const std::vector<double>& values, long kept, int level, long index) {
  if (level == 0) {
    const auto first = values.begin() + index * kept;
    SampleNode leaf;
    leaf.values = counted({first, std::min(first + kept, values.end())});
    std::ranges::sort(leaf.values);
    leaf.sample.size = static_cast<long>(leaf.values.size());
    leaf.sample.count = static_cast<double>(leaf.values.size());
    return leaf;
  }
  const SampleNode left = device_node(values, kept, level - 1, 2 * index);
  const SampleNode right = device_node(values, kept, level - 1, 2 * index + 1);
  const SampleMerge plan = plan_merge(left.sample, right.sample, kept, index);
  SampleNode node{plan.result, {}};
  for (long i = 0; i < plan.result.size; ++i) {
    node.values.push_back(
        merged_number(left.values.data(), plan.left, right.values.data(), plan.right, plan.both.place(i)));
  }
  return node;
}

TEST(Quantiles, TakeNodesThatOthersHaveMade) {
  for (const std::string& kind : kinds_of_numbers) {
    const std::vector<double> values = with_failures(numbers(kind, 64 * 256));
    QuantileSketch mixed(64);
    mixed.add(std::span(values).first(3 * 64));
    mixed.add_node(0, 3, device_node(values, 64, 0, 3));
    mixed.add_node(2, 1, device_node(values, 64, 2, 1));
    mixed.add_node(3, 1, device_node(values, 64, 3, 1));
    for (int level = 4; level < 8; ++level) mixed.add_node(level, 1, device_node(values, 64, level, 1));
    EXPECT_EQ(mixed.quantiles(shares).values, quantiles_of(values, 64).values) << kind;
    EXPECT_EQ(mixed.quantiles(shares).rank_error, quantiles_of(values, 64).rank_error) << kind;
    EXPECT_THROW(mixed.add_node(0, 255, {}), Error);
  }
}

TEST(Quantiles, OfNoneAreNaN) {
  for (const double value : quantiles_of(std::vector(10'000, nan_number), 64).values) EXPECT_TRUE(std::isnan(value));
  for (const double value : QuantileSketch(64).quantiles(shares).values) EXPECT_TRUE(std::isnan(value));
}

}  // namespace
}  // namespace kalaba
