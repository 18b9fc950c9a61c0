#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kalaba {

/// A file that grows under a temporary name beside its final one, and takes the final name only when published.
/// A pending file that is never published is removed. Errors are Error(file_error) naming the final path.
class PendingFile {
 public:
  /// Creates the temporary file at once. Throws where `final_path` has no folder, is a folder or something else that
  /// is not a plain file, or lies in a place that cannot be written.
  explicit PendingFile(const std::string& final_path);
  /// Likewise under a temporary name that another process can find again; what is there already stays.
  PendingFile(const std::string& final_path, const std::string& temporary_path);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  const std::string& final_path() const { return final_path_; }
  const std::string& temporary_path() const { return temporary_path_; }
  int descriptor() const { return descriptor_; }

  /// Appends bytes.
  void write(std::string_view bytes);
  /// Takes all bytes away again, or those behind the first `size`, and goes on from there.
  void clear() { cut(0); }
  void cut(std::size_t size);
  /// Writes bytes at a place of their own.
  void overwrite(std::size_t place, std::string_view bytes);
  /// Makes the bytes and their places durable. Throws as require_in_place does.
  void sync();
  bool is_published() const { return descriptor_ < 0; }
  /// Whether the temporary name still leads to this file, which other programs may remove or replace.
  bool is_in_place() const;
  /// Throws Error(file_error) where it does not.
  void require_in_place() const;
  /// From now on publishing fails where a file of the final name is there already; this one then stays under its
  /// temporary name.
  void leave_existing() { leaves_existing_ = true; }
  /// From now on the file stays under its temporary name where it is not published.
  void keep() { is_kept_ = true; }
  std::size_t size() const;

  /// Puts the content on the disk and gives it its final name, or another in the same folder. A checksum of the file
  /// that had the name (table_checksum.hpp) is removed. Throws Error(file_error) as require_in_place does.
  void publish() { publish_as(final_path_); }
  void publish_as(const std::string& path);

 private:
  void rename_to(const std::string& path);
  [[noreturn]] void fail(const std::string& path, const std::string& doing) const;

  std::string final_path_;
  std::string temporary_path_;
  int descriptor_ = -1;
  bool is_kept_ = false;
  bool leaves_existing_ = false;
};

/// Throws Error(file_error) where a file of this name could not be published: no folder, or something else is there.
void check_place(const std::string& path);

/// The file that is written where this one is asked for: what a symbolic link points to, at the end of them all.
std::string followed(const std::string& path);

/// Makes what was created, renamed and removed in the folder of `path` durable, as far as its file system can.
void sync_folder_of(const std::string& path);

/// The name of an unfinished output: "pendulum.nc" becomes "pendulum.partial.nc".
std::string partial_path(const std::string& path);
/// The name that the whole output has, of that or of the unfinished file.
std::string final_path(const std::string& path);

}  // namespace kalaba
