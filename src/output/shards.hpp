#pragma once

#include <string>
#include <vector>

#include "output/base/sink.hpp"

namespace kalaba {

/// netCDF file with a part of an ensemble (kalaba run --shard), from its attributes.
struct ShardFile {
  std::string path;
  Provenance provenance;
  std::string backend;
  std::string device;
  long first = 0;     ///< index in the ensemble of the first member
  long members = 0;   ///< in the file
  long ensemble = 0;  ///< members
  Summary summary;
  std::vector<std::string> inputs;  ///< variables of its correlations
  std::vector<double> groups;       ///< values of its grouping variable
};

/// Reads the attributes of a shard. Throws Error(file_error) if the file is not a complete shard.
ShardFile read_shard(const std::string& path);

/// Ranges of the file's histograms of these fields.
std::vector<HistogramRange> histogram_ranges(const ShardFile& shard, const std::vector<FieldLayout>& layouts);

/// Merges all shards of an ensemble, in the order of their members, into the file of an undivided run: identical
/// numbers, statistics and attributes, except `created`; `wall_seconds` is the sum. `run`: that of the undivided run.
/// Throws Error(file_error) if a file cannot be read or written.
Summary merge_shards(const std::vector<ShardFile>& shards, const RunInfo& run, const std::string& path);

}  // namespace kalaba
