#pragma once

#include <cstddef>
#include <string>

#include "output/durable/pending_file.hpp"

namespace kalaba {

/// Size as text: "1.5 GB".
std::string bytes_text(double bytes);

/// Throws Error(file_error), with both sizes, if the disk has no space for a file of that many bytes.
void check_space(const PendingFile& file, double bytes);

/// Likewise for a file that does not exist yet.
void check_space(const std::string& path, double bytes);

/// Throws Error(file_error) if the file is smaller than when the run was saved.
void check_size(const PendingFile& file, std::size_t saved);

}  // namespace kalaba
