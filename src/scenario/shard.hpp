#pragma once

#include <string>

#include "scenario/scenario.hpp"

namespace kalaba {

inline constexpr long most_shards = 1'000'000;

/// One of `count` parts of an ensemble, numbered from 1.
struct Shard {
  long number = 1;
  long count = 1;
};

/// "2/4". Throws Error(bad_input) on anything else.
Shard parse_shard(const std::string& text);

/// The members of a shard: parts of even size, in whole leaves of the statistics where there are any, so that they
/// merge to the same bits. Throws Error(bad_input) where there are fewer members than that takes.
RunPart part_of(const Shard& shard, const Scenario& scenario);

/// The file of a shard: "sweep.nc" becomes "sweep.2-of-4.nc"; a name that says so already stays.
std::string shard_path(const std::string& path, const Shard& shard);

/// A file beside that of the shard, finished or not, that is a part of the same output divided into another number of
/// parts; "" where there is none.
std::string other_division(const std::string& path, const Shard& shard);

}  // namespace kalaba
