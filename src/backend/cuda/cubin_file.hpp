#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kalaba::cuda {

/// What `write_cubin_file` put into the file under this key. Nothing where there is no such file, or where it is
/// damaged, of another format, or under another key. Never throws for what it finds. A file that is read is the newest
/// again.
std::optional<std::vector<char>> read_cubin_file(const std::string& path, const std::string& key);

/// Puts a cubin into a file, which appears whole or not at all, whoever else writes it at the same time. The folder is
/// made where it is missing. Returns whether the file could be written; where not, nothing is left behind.
bool write_cubin_file(const std::string& path, const std::string& key, const std::vector<char>& cubin);

/// Removes the oldest of a folder's cubins (files named by a key) until they take at most so many bytes. Other files
/// stay, and so does what cannot be removed. Never throws for what it finds.
void remove_oldest_cubins(const std::string& folder, std::uintmax_t most_bytes);

}  // namespace kalaba::cuda
