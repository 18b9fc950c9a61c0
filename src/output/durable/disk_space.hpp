#pragma once

#include <cstddef>
#include <string>

#include "output/durable/pending_file.hpp"

namespace kalaba {

/// "1.5 GB".
std::string bytes_text(double bytes);

/// Throws Error(file_error), with both sizes, where the disk of the file has no room for that many bytes of it.
void check_space(const PendingFile& file, double bytes);

/// Throws Error(file_error) where the file is smaller than it was when a run was saved.
void check_size(const PendingFile& file, std::size_t saved);

/// What a file that only grows keeps in a checkpoint: its size, once that much is durable.
std::string saved_size(PendingFile& file);
/// Cuts it back to that. Throws as check_size.
void cut_back(PendingFile& file, const std::string& saved);

}  // namespace kalaba
