#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kalaba {

/// Where compiled programs are kept: $KALABA_CACHE_DIR, else $XDG_CACHE_HOME/kalaba, else $HOME/.cache/kalaba; empty
/// where none of them is set.
std::string cache_folder();

/// Why nothing of a folder may be run: it belongs to somebody else, or others may write to it. Empty where it may, or
/// where there is none.
std::string fault_of_folder(const std::string& folder);

/// Makes a folder that is missing, for its owner alone. Returns whether it was made.
bool make_kept_folder(const std::string& folder);

/// What `write_kept_file` put into the file under this key. Nothing where there is no such file, or where it is
/// damaged, of another format, or under another key; nor where it or its folder belongs to somebody else, or others may
/// write to it. Never throws for what it finds. A file that is read is the newest again.
std::optional<std::vector<char>> read_kept_file(const std::string& path, const std::string& key);

/// Whether there is a file that nobody else could have put there, of whatever content; it is the newest then.
bool use_kept(const std::string& path);

/// Puts bytes into a file, which appears whole or not at all, whoever else writes it at the same time. The folder is
/// made where it is missing. Returns whether the file could be written; where not, nothing is left behind.
bool write_kept_file(const std::string& path, const std::string& key, const std::vector<char>& bytes);

/// Removes the oldest of a folder's kept files (named by a key) until they take at most so many bytes, and what killed
/// processes left half written or locked a day ago. Other files stay, and so does what cannot be removed. Never throws for what
/// it finds.
void remove_oldest_kept(const std::string& folder, std::uintmax_t most_bytes);

}  // namespace kalaba
