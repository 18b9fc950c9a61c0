// Statistics reduced on a device are bitwise identical to those of MomentsAccumulator and QuantileSketch. Linked with
// Thrust's algorithms for a GPU (label `gpu`), and with the same code for the host.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "engine/statistics/moments_accumulator.hpp"
#include "engine/statistics/quantile_sketch.hpp"
#include "kernels/statistics.hpp"
#include "reduction_place.hpp"

namespace kalaba {
namespace {

const std::vector<double> shares = {0, 0.001, 0.05, 0.3, 0.5, 0.95, 1};
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Members with a status and one number per row.
struct Members {
  std::vector<double> status;
  std::vector<std::vector<double>> rows;

  long count() const { return static_cast<long>(status.size()); }
};

/// Statistics of the members, by either implementation.
struct Statistics {
  explicit Statistics(std::size_t rows, long kept) : moments(rows), quantiles(rows, QuantileSketch(kept)) {}

  long ok_members = 0;
  std::vector<MomentsAccumulator> moments;
  std::vector<QuantileSketch> quantiles;
};

/// A few failed members, non-finite numbers, zeros of both signs, ties, and large means; in the last row only three
/// numbers count.
Members some_members(long count) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  Members members;
  members.rows.resize(5);
  for (long i = 0; i < count; ++i) {
    members.status.push_back(i % 11 == 3 || (i > 5000 && i < 9500) ? 2 : 0);
    const double number = normal(random);
    members.rows[0].push_back(number);
    members.rows[1].push_back(1e9 + number);
    members.rows[2].push_back(std::round(2 * number) / 2);
    members.rows[3].push_back(i % 7 == 0 ? nan : i % 5 == 0 ? HUGE_VAL : i % 3 == 0 ? -HUGE_VAL : -0.0 * number);
    members.rows[4].push_back(i % (count / 3 + 1) == 1 ? number : nan);
  }
  return members;
}

/// Reduction as by StatisticsSink for values that a device leaves to the host.
Statistics on_host(const Members& members, long kept) {
  Statistics result(members.rows.size(), kept);
  for (const double status : members.status) result.ok_members += status == 0 ? 1 : 0;
  for (std::size_t row = 0; row < members.rows.size(); ++row) {
    std::vector<double> values = members.rows[row];
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += members.status[i] == 0 ? 0.0 : nan;
    result.moments[row].add(values);
    result.quantiles[row].add(values);
  }
  return result;
}

/// Stores a batch's leaves and nodes at their indices.
class Receiver final : public ReductionReceiver {
 public:
  Receiver(Statistics& statistics, long first, long members)
      : statistics_(statistics), first_(first), members_(members) {}

  void take_ok_members(long count) override { statistics_.ok_members += count; }
  void take_leaves(int row, const Moments* leaves, long count) override {
    for (long i = 0; i < count; ++i) {
      const long members = std::min<long>(leaf_members, members_ - i * leaf_members);
      statistics_.moments[static_cast<std::size_t>(row)].add_leaf(leaves[i], members);
    }
  }
  void take_sample(int row, int level, long index, const Sample& sample, const double* numbers) override {
    statistics_.quantiles[static_cast<std::size_t>(row)].add_node(level, index,
                                                                  {sample, {numbers, numbers + sample.size}});
  }
  ~Receiver() override {
    for (QuantileSketch& each : statistics_.quantiles) each.skip_to(first_ + members_);
  }

 private:
  Statistics& statistics_;
  long first_;
  long members_;
};

void reduce(const Members& members, long first, long count, const SampleSize& size, Statistics& result) {
  const long stride = count + 5;
  const auto rows = static_cast<long>(members.rows.size());
  std::vector<double> observed(static_cast<std::size_t>((1 + rows) * stride), 0.25);
  std::copy_n(members.status.begin() + first, count, observed.begin());
  for (long row = 0; row < rows; ++row) {
    std::copy_n(members.rows[static_cast<std::size_t>(row)].begin() + first, count,
                observed.begin() + (1 + row) * stride);
  }
  const auto memory = test::reduction_memory(observed.data(), observed.size() * sizeof(double));
  const auto* status = static_cast<const double*>(memory.get());
  const ObservedBatch batch = {status, status + stride, static_cast<int>(rows), stride, first, count};
  const std::size_t bytes = reduction_workspace_bytes(batch, size);
  Receiver receiver(result, first, count);
  reduce_batch(batch, size, test::reduction_memory(nullptr, bytes).get(), bytes, nullptr, receiver);
}

Statistics on_device(const Members& members, long batch_members, long kept) {
  Statistics result(members.rows.size(), kept);
  const SampleSize size = {kept, QuantileSketch::whole_leaves * kept};
  for (long first = 0; first < members.count(); first += batch_members) {
    reduce(members, first, std::min(batch_members, members.count() - first), size, result);
  }
  return result;
}

class Reduction : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = test::reduction_problem(); !why.empty()) GTEST_SKIP() << "no GPU: " << why;
  }
};

void expect_same_bits(Statistics& found, Statistics& expected) {
  EXPECT_EQ(found.ok_members, expected.ok_members);
  for (std::size_t row = 0; row < expected.moments.size(); ++row) {
    SCOPED_TRACE(row);
    const Moments a = found.moments[row].total();
    const Moments b = expected.moments[row].total();
    EXPECT_EQ(a.count, b.count);
    EXPECT_EQ(a.mean, b.mean);
    EXPECT_EQ(a.squares, b.squares);
    EXPECT_EQ(a.least, b.least);
    EXPECT_EQ(a.greatest, b.greatest);
    const auto left = found.quantiles[row].quantiles(shares);
    const auto right = expected.quantiles[row].quantiles(shares);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (std::isnan(right.values[i])) {
        EXPECT_TRUE(std::isnan(left.values[i]));
      } else {
        EXPECT_EQ(left.values[i], right.values[i]);
      }
    }
    EXPECT_EQ(left.count, right.count);
    EXPECT_EQ(left.rank_error, right.rank_error);
    EXPECT_EQ(found.quantiles[row].members(), expected.quantiles[row].members());
  }
}

TEST_F(Reduction, HasTheSameBitsAsTheHostHoweverTheEnsembleIsCut) {
  const Members members = some_members(13 * leaf_members + 1234);
  for (const long kept : {64L, 256L, 4096L}) {
    Statistics expected = on_host(members, kept);
    EXPECT_GT(expected.moments[0].total().count, 20'000);
    EXPECT_EQ(expected.moments[4].total().count, 3);
    for (const long leaves : {1L, 3L, 4L, 100L}) {
      SCOPED_TRACE(std::to_string(kept) + " kept, batches of " + std::to_string(leaves) + " leaves");
      Statistics found = on_device(members, leaves * leaf_members, kept);
      expect_same_bits(found, expected);
    }
  }
}

TEST_F(Reduction, OfFewerMembersThanALeafAreTheSameToo) {
  for (const long count : {1L, 2L, 63L, 65L, 4095L, 4096L}) {
    const Members members = some_members(count);
    Statistics expected = on_host(members, 64);
    Statistics found = on_device(members, leaf_members, 64);
    expect_same_bits(found, expected);
  }
}

TEST_F(Reduction, OfNobodyCountsNobody) {
  Members members = some_members(5000);
  std::fill(members.status.begin(), members.status.end(), 1);
  Statistics found = on_device(members, 2 * leaf_members, 64);
  EXPECT_EQ(found.ok_members, 0);
  EXPECT_EQ(found.moments[0].total().count, 0);
  EXPECT_EQ(found.quantiles[0].quantiles(shares).count, 0);
  EXPECT_EQ(found.quantiles[0].members(), 5000);
}

TEST_F(Reduction, FindsTheGreatestOfTheOkAndNothingElse) {
  const std::vector<double> observed = {0, 2,  0,   0,   0, 9,   // status
                                        1, 50, -7,  nan, 3, 9,   // a row, one number longer than the batch
                                        2, 60, 4.5, nan, 4, 9};  // another
  const auto memory = test::reduction_memory(observed.data(), observed.size() * sizeof(double));
  const auto* status = static_cast<const double*>(memory.get());
  EXPECT_EQ(greatest_of_ok({status, status + 6, 2, 6, 0, 5}, nullptr), 4.5);
  EXPECT_EQ(greatest_of_ok({status, status + 6, 1, 6, 0, 5}, nullptr), 3);
  EXPECT_EQ(greatest_of_ok({status, status + 6, 2, 6, 0, 1}, nullptr), 2);
  EXPECT_EQ(greatest_of_ok({status + 1, status + 7, 2, 6, 0, 1}, nullptr), 0);  // it failed
}

TEST_F(Reduction, RefusesABatchThatDoesNotStartWithALeafAndTooLittleWorkspace) {
  Statistics result(1, 64);
  Receiver receiver(result, 0, 8);
  const auto memory = test::reduction_memory(nullptr, 1 << 20);
  const auto* numbers = static_cast<const double*>(memory.get());
  const SampleSize size = {64, 1024};
  EXPECT_THROW(reduce_batch({numbers, numbers + 8, 1, 8, 64, 8}, size, memory.get(), 1 << 20, nullptr, receiver),
               std::invalid_argument);
  EXPECT_THROW(reduce_batch({numbers, numbers + 8, 1, 8, 0, 8}, size, memory.get(), 100, nullptr, receiver),
               std::invalid_argument);
}

}  // namespace
}  // namespace kalaba
