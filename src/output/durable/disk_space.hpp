#pragma once

#include <cstddef>
#include <string>

#include "output/durable/pending_file.hpp"

namespace kalaba {

/// "1.5 GB".
std::string bytes_text(double bytes);

/// Throws Error(file_error), with both sizes, where the disk of the file has no room for that many bytes of it.
void check_space(const PendingFile& file, double bytes);

/// Likewise of a file that is not there yet.
void check_space(const std::string& path, double bytes);

/// Throws Error(file_error) where the file is smaller than it was when a run was saved.
void check_size(const PendingFile& file, std::size_t saved);

}  // namespace kalaba
