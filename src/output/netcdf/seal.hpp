#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "output/durable/pending_file.hpp"
#include "output/durable/plain_file.hpp"
#include "output/netcdf/data_sums.hpp"

namespace kalaba {

/// Checksums of a whole file, behind its end:
///
///     | netCDF file | where numbers of members lie and their checksums, checksum of all other bytes | its size, a mark |
///
/// netCDF and HDF5 libraries read such a file as if nothing were there; one that writes to it cuts it off. All but the
/// members' numbers (texts, attributes, statistics, the library's own structures) is verified before the library reads
/// it, since libhdf5 may crash on damaged structures; the members' numbers are verified when they are read.
class Seal {
 public:
  /// Appends the seal to a file that is complete and that no library has open.
  static void put(PendingFile& file, const DataSums& sums);
  /// The seal of a file, nullptr where it has none: files of other programs, and unfinished ones. Throws
  /// Error(file_error) where the seal is damaged, or where what it says of all but the members' numbers is not so.
  static std::shared_ptr<Seal> read(const PlainFile& file);

  /// The index of a variable whose numbers are verified apart, or -1.
  long find(const std::string& variable) const;
  /// Verifies the numbers of a variable from `place` on, where that was not done. Throws Error(file_error).
  void verify(const PlainFile& file, std::size_t variable, std::uint64_t place, std::uint64_t count);
  /// Verifies all numbers; returns how many bytes of the file are verified then.
  std::uint64_t verify_all(const PlainFile& file);

 private:
  std::vector<SummedNumbers> variables_;
  std::vector<std::vector<bool>> verified_;  // one a sum
};

/// Throws Error(file_error) where bytes that are no seal follow the end that an HDF5 file states: those of a seal that
/// was cut off or damaged.
void require_no_rest(const PlainFile& file);

}  // namespace kalaba
