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

/// Parses "2/4". Throws Error(bad_input) for other texts.
Shard parse_shard(const std::string& text);

/// Members of a shard: parts of nearly equal size. With statistics a part consists of whole leaves of their reduction
/// tree, so that merged statistics are bitwise identical. Throws Error(bad_input) if there are too few members.
RunPart part_of(const Shard& shard, const Scenario& scenario);

/// File of a shard: "sweep.nc" becomes "sweep.2-of-4.nc"; a name with that suffix is unchanged.
std::string shard_path(const std::string& path, const Shard& shard);

/// A file in the shard's folder, finished or not, that is a part of the same output divided into another number of
/// parts; "" if there is none.
std::string other_division(const std::string& path, const Shard& shard);

}  // namespace kalaba
