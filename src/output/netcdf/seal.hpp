#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "output/durable/pending_file.hpp"
#include "output/durable/plain_file.hpp"
#include "output/netcdf/data_sums.hpp"

namespace kalaba {

/// Checksums of a whole file, appended to its end:
///
///     | netCDF file | offsets and checksums of the members' numbers, checksum of all other bytes | its size, a mark |
///
/// netCDF and HDF5 libraries ignore the seal when they read such a file; a library that writes to it removes the seal.
/// All data other than the members' numbers (texts, attributes, statistics, the library's own structures) is verified
/// before the library reads it, because libhdf5 may crash on damaged structures; the members' numbers are verified when
/// they are read.
class Seal {
 public:
  /// Appends the seal to a complete file that is not open in a library.
  static void put(PendingFile& file, const DataSums& sums);
  /// Reads the seal of a file; returns nullptr if it has none: files of other programs, and unfinished ones. Throws
  /// Error(file_error) if the seal is damaged, or if its checksum of all data other than the members' numbers does not
  /// match.
  static std::shared_ptr<Seal> read(const PlainFile& file);

  /// Returns the index of a variable that is verified separately, or -1.
  long find(const std::string& variable) const;
  /// Verifies the numbers of a variable from `place` on, unless verified already. Throws Error(file_error).
  void verify(const PlainFile& file, std::size_t variable, std::uint64_t place, std::uint64_t count);
  /// Verifies all numbers; returns the number of bytes of the file that are then verified.
  std::uint64_t verify_all(const PlainFile& file);

 private:
  std::vector<SummedNumbers> variables_;
  std::vector<std::vector<bool>> verified_;  // one per checksum
};

/// Throws Error(file_error) if bytes that are not a seal follow the end that an HDF5 file states: a truncated or
/// damaged seal.
void require_no_rest(const PlainFile& file);

}  // namespace kalaba
