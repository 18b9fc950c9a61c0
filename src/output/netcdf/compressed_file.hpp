#pragma once

#include <string>

namespace kalaba {

/// Replaces a finished netCDF file by one with the same content in which the numbers are compressed: shuffled bytes,
/// deflate of this level, 1 to 9. The numbers are verified when they are read. Every byte of the new file is covered by
/// the one checksum of its seal, which a reader verifies when it opens the file. The replacement is atomic. Throws
/// Error(file_error); the file is then as it was.
void compress_netcdf(const std::string& path, int level);

}  // namespace kalaba
