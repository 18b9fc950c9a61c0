// Shards of an ensemble: their notation, their members, and the names of their files.

#include "scenario/shard.hpp"

#include <gtest/gtest.h>

#include "kalaba/core/base/moments.hpp"
#include "kalaba/error.hpp"
#include "support/error_of.hpp"

namespace kalaba {
namespace {

TEST(ShardTest, ReadsIOfN) {
  for (const auto& [text, number, count] :
       {std::tuple{"1/1", 1L, 1L}, std::tuple{"2/4", 2L, 4L}, std::tuple{"1000000/1000000", 1000000L, 1000000L}}) {
    const Shard shard = parse_shard(text);
    EXPECT_EQ(shard.number, number) << text;
    EXPECT_EQ(shard.count, count) << text;
  }
}

TEST(ShardTest, RefusesEverythingElse) {
  for (const char* text : {"", "/", "1", "1/", "/4", "0/4", "5/4", "-1/4", "1/-4", "1/0", "1.0/4", " 1/4", "1/4 ",
                           "1/4/2", "one/4", "1/1000001", "99999999999999999999/4"}) {
    const Error error = test::error_of([&] { parse_shard(text); });
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_EQ(std::string(error.what()),
              "--shard: expected i/N with i from 1 to N and N at most 1000000, such as 2/4, found '" +
                  std::string(text) + "'");
  }
}

TEST(ShardTest, PartsCoverTheEnsembleOnceAndEvenly) {
  for (const bool statistics : {false, true}) {
    Scenario scenario;
    scenario.members = 10 * leaf_members + 3;
    if (statistics) scenario.options.statistics.kinds = {Statistic::mean};
    for (const long count : {1L, 2L, 7L, 11L}) {
      long next = 0;
      for (long i = 1; i <= count; ++i) {
        const RunPart part = part_of({i, count}, scenario);
        EXPECT_EQ(part.first, next);
        EXPECT_GT(part.members, 0);
        EXPECT_LE(part.members, scenario.members / count + (statistics ? 2 * leaf_members : 1));
        EXPECT_EQ(part.first % (statistics ? leaf_members : 1), 0);
        next = part.first + part.members;
      }
      EXPECT_EQ(next, scenario.members);
    }
    EXPECT_THROW(part_of({1, scenario.members + 1}, scenario), Error);
  }
}

TEST(ShardTest, NamesItsFile) {
  EXPECT_EQ(shard_path("out/sweep.nc", {2, 4}), "out/sweep.2-of-4.nc");
  EXPECT_EQ(shard_path("sweep.2-of-4.nc", {2, 4}), "sweep.2-of-4.nc");
}

}  // namespace
}  // namespace kalaba
