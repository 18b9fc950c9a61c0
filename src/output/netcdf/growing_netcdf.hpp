#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "output/durable/pending_file.hpp"
#include "output/netcdf/data_sums.hpp"
#include "output/netcdf/netcdf_file.hpp"
#include "output/netcdf/netcdf_schema_writer.hpp"

namespace kalaba {

/// Bytes of a run's numbers in a netCDF file.
double netcdf_bytes(const RunInfo& run, const Provenance& provenance);

/// A netCDF file that can be gone on with whatever moment its process was killed at.
///
/// HDF5 keeps no journal: a file whose metadata was being changed may be lost. So all of it is written first, with room
/// for every number, and is kept as it then was (the image); from there to the finish only numbers are written, each at
/// the place the metadata says. To go on, the image is put back: it undoes whatever a finish had begun to change.
///
///     | metadata: the image | numbers of the members, in one piece a variable | what a finish adds | seal (seal.hpp) |
///
/// Checksums of the members' numbers are kept up while they are written, so that neither a resumed run nor a reader
/// takes numbers that changed on the disk.
class GrowingNetcdf {
 public:
  explicit GrowingNetcdf(const std::string& final_path) : pending_(final_path, partial_path(final_path)) {}

  /// Lays out the file. Throws Error(file_error) where the disk has no room for it.
  void begin(const RunInfo& run, const Provenance& provenance);
  /// Goes on with a file as save left it.
  void resume(const RunInfo& run, const Provenance& provenance, const std::string& state);
  /// Throws Error(file_error) where the file does not hold the numbers of the first `members`, and of the block that
  /// was under way, as they were saved.
  void verify(std::size_t members) const;
  /// What was put so far counts: its block has ended, or numbers take its place.
  void settle() { sums_.settle(); }
  /// What was put since settle does not count: other numbers take its place.
  void drop_unsettled() { sums_.drop(); }
  /// Makes what was written durable, and returns what resume needs.
  std::string save();
  /// Whether a file begins with the metadata in what save returned; what the library notes of open files may differ.
  static bool has_metadata(int descriptor, const std::string& path, std::uint64_t size, const std::string& state);
  /// Whether the file is still there, and its metadata, which nothing changes until the end.
  bool is_intact() const;
  /// Throws Error(file_error) where it is not. What follows ends the file, and changes its metadata.
  void begin_end();
  /// Ends the file and gives it this name.
  void publish_as(const std::string& path);

  NetcdfFile& file() { return *file_; }
  const NetcdfVariables& variables() const { return variables_; }
  PendingFile& pending() { return pending_; }

 private:
  void take_image(std::size_t metadata);

  // The file is closed before its temporary name is removed.
  PendingFile pending_;
  DataSums sums_;
  std::optional<NetcdfFile> file_;
  NetcdfVariables variables_;
  std::string image_;
  bool is_ending_ = false;
  std::size_t size_ = 0;  // with room for every number
};

}  // namespace kalaba
