#pragma once

#include <string>
#include <vector>

#include "output/base/sink.hpp"

namespace kalaba {

/// A netCDF file that holds a part of an ensemble (kalaba run --shard), as far as its attributes tell.
struct ShardFile {
  std::string path;
  Provenance provenance;
  std::string backend;
  std::string device;
  long first = 0;     ///< member of the ensemble
  long members = 0;   ///< in the file
  long ensemble = 0;  ///< members
  Summary summary;
  std::vector<std::string> inputs;  ///< that its statistics correlate with
  std::vector<double> groups;       ///< values of what they are grouped by
};

/// Throws Error(file_error) where the file is not a complete shard.
ShardFile read_shard(const std::string& path);

/// The ranges of the histograms that the file holds of these fields.
std::vector<HistogramRange> histogram_ranges(const ShardFile& shard, const std::vector<FieldLayout>& layouts);

/// Joins shards, which are all those of one ensemble in the order of their members, to the file that an undivided run
/// writes: the same numbers, statistics and attributes, but for `created`; `wall_seconds` is the sum. `run` is that
/// of the undivided run. Throws Error(file_error) where a file cannot be read or written.
Summary merge_shards(const std::vector<ShardFile>& shards, const RunInfo& run, const std::string& path);

}  // namespace kalaba
