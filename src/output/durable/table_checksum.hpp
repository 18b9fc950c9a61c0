#pragma once

#include <string>

#include "output/durable/checksum.hpp"

namespace kalaba {

/// Where the checksum of a table is: a table of text has no place for it.
std::string checksum_path(const std::string& path);

/// Writes the checksum of a table that was published, durably. Throws Error(file_error).
void write_table_checksum(const std::string& path, const Checksum& sum);

/// Returns whether there is a checksum of the table. Throws Error(file_error) where the table's bytes are not those
/// that it is of.
bool check_table(const std::string& path);

}  // namespace kalaba
