#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kalaba {

/// Returns the cache folder of compiled programs: $KALABA_CACHE_DIR, else $XDG_CACHE_HOME/kalaba, else
/// $HOME/.cache/kalaba; empty if none of these variables is set.
std::string cache_folder();

/// Returns the reason why files of a folder must not be run: another user owns it, or others may write to it. Returns
/// an empty string if the folder is safe or does not exist.
std::string fault_of_folder(const std::string& folder);

/// Creates a missing folder that only its owner can access. Returns true if it was created.
bool make_kept_folder(const std::string& folder);

/// Returns the content that `write_kept_file` stored under this key. Returns nothing if the file does not exist, is
/// damaged, has another format or another key, or if another user owns the file or its folder, or others may write to
/// either. Never throws because of a file's content. A file that is read becomes the newest.
std::optional<std::vector<char>> read_kept_file(const std::string& path, const std::string& key);

/// Returns true if a file exists that only this user can have written, whatever its content; the file becomes the
/// newest.
bool use_kept(const std::string& path);

/// Writes bytes to a file atomically, even if several processes write it at the same time. Creates a missing folder.
/// Returns true if the file was written; on failure no partial file is left.
bool write_kept_file(const std::string& path, const std::string& key, const std::vector<char>& bytes);

/// Removes the oldest kept files of a folder (their names are keys) until the rest takes at most `most_bytes` bytes.
/// Also removes temporary files and locks of killed processes that are older than a day. Other files stay, as do files
/// that cannot be removed. Never throws because of files in the folder.
void remove_oldest_kept(const std::string& folder, std::uintmax_t most_bytes);

}  // namespace kalaba
