#pragma once

#include <string>

#include "output/durable/checksum.hpp"

namespace kalaba {

/// Path of the file with the checksum of a table; text tables cannot contain it.
std::string checksum_path(const std::string& path);

/// Writes the checksum of a published table, durably. Throws Error(file_error).
void write_table_checksum(const std::string& path, const Checksum& sum);

/// Returns true if the table has a checksum. Throws Error(file_error) if it does not match the table's bytes.
bool check_table(const std::string& path);

}  // namespace kalaba
