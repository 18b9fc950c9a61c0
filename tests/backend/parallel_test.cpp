#include "kalaba/backend/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace kalaba {
namespace {

TEST(ParallelFor, CoversEveryIndexOnce) {
  for (const int threads : {0, 1, 2, 5}) {
    for (const long count : {0L, 1L, 7L, 1000L}) {
      std::vector<std::atomic<int>> met(static_cast<std::size_t>(count));
      parallel_for(count, 3, threads, [&](long begin, long end) {
        for (long i = begin; i < end; ++i) ++met[static_cast<std::size_t>(i)];
      });
      for (const auto& times : met) EXPECT_EQ(times, 1);
    }
  }
}

TEST(ParallelFor, PassesAnExceptionOnAndStops) {
  std::atomic<long> ranges{0};
  EXPECT_THROW(parallel_for(1'000'000, 1, 4,
                            [&](long begin, long) {
                              ++ranges;
                              if (begin >= 10) throw std::runtime_error("enough");
                            }),
               std::runtime_error);
  EXPECT_LE(ranges, 10 + 4) << "a thread that threw goes no further, and the others stop at their next range";
}

}  // namespace
}  // namespace kalaba
