#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "output/durable/pending_file.hpp"
#include "output/netcdf/data_sums.hpp"
#include "output/netcdf/netcdf_file.hpp"
#include "output/netcdf/netcdf_schema_writer.hpp"

namespace kalaba {

/// Size of a run's numbers in a netCDF file, bytes.
double netcdf_bytes(const RunInfo& run, const Provenance& provenance);

/// netCDF file whose writing can be resumed after its process was killed at any moment.
///
/// HDF5 has no journal: a file is lost if its process is killed while metadata changes. All metadata is therefore
/// written first, with storage for every number, and a copy of it is kept (the image). From then to the finish only
/// numbers are written, each at the offset that the metadata defines. Resuming restores the image, which reverts
/// incomplete changes of a finish.
///
///     | metadata: the image | numbers of the members, contiguous per variable | additions of the finish | seal
/// (seal.hpp) |
///
/// Checksums of the members' numbers are updated during writing: resumed runs and readers detect numbers that changed
/// on the disk.
class GrowingNetcdf {
 public:
  explicit GrowingNetcdf(const std::string& final_path) : pending_(final_path, partial_path(final_path)) {}

  /// Creates the file with its layout. Throws Error(file_error) if the disk has too little space.
  void begin(const RunInfo& run, const Provenance& provenance);
  /// Continues with a file in the state of `save`.
  void resume(const RunInfo& run, const Provenance& provenance, const std::string& state);
  /// Throws Error(file_error) if the file does not contain the numbers of the first `members`, and of the unfinished
  /// block, as they were saved.
  void verify(std::size_t members) const;
  /// Counts the numbers written so far: their block has ended, or other numbers replace them.
  void settle() { sums_.settle(); }
  /// Discards the numbers written since settle: other numbers replace them.
  void drop_unsettled() { sums_.drop(); }
  /// Makes the written data durable, and returns the state for `resume`.
  std::string save();
  /// Returns true if a file begins with the metadata in the state that save returned; the library's marks of open files
  /// are ignored.
  static bool has_metadata(int descriptor, const std::string& path, std::uint64_t size, const std::string& state);
  /// Returns true if the file still exists with its metadata, which does not change before the finish.
  bool is_intact() const;
  /// Begins the finish, which changes the metadata. Throws Error(file_error) if the file is not intact.
  void begin_end();
  /// Finishes the file and renames it to `path`.
  void publish_as(const std::string& path);

  NetcdfFile& file() { return *file_; }
  const NetcdfVariables& variables() const { return variables_; }
  PendingFile& pending() { return pending_; }

 private:
  void take_image(std::size_t metadata);

  // Declared first: the file must be closed before its temporary name is removed.
  PendingFile pending_;
  DataSums sums_;
  std::optional<NetcdfFile> file_;
  NetcdfVariables variables_;
  std::string image_;
  bool is_ending_ = false;
  std::size_t size_ = 0;  // including storage for every number
};

}  // namespace kalaba
