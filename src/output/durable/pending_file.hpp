#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kalaba {

/// File that is written under a temporary name in the folder of its final name, and renamed when published. It is
/// removed if it is never published. Throws Error(file_error) naming the final path.
class PendingFile {
 public:
  /// Creates the temporary file. Throws if the folder of `final_path` does not exist or cannot be written, or if
  /// `final_path` is a folder or another special file.
  explicit PendingFile(const std::string& final_path);
  /// Likewise with a temporary name that another process can find; an existing temporary file keeps its content.
  PendingFile(const std::string& final_path, const std::string& temporary_path);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  const std::string& final_path() const { return final_path_; }
  const std::string& temporary_path() const { return temporary_path_; }
  int descriptor() const { return descriptor_; }

  /// Appends bytes.
  void write(std::string_view bytes);
  /// Truncates the file to no bytes, or to `size` bytes; writing continues there.
  void clear() { cut(0); }
  void cut(std::size_t size);
  /// Writes bytes at the offset `place`.
  void overwrite(std::size_t place, std::string_view bytes);
  /// Makes the content durable. Throws as require_in_place does.
  void sync();
  bool is_published() const { return descriptor_ < 0; }
  /// Returns true if the temporary name still refers to this file; other programs may have removed or replaced it.
  bool is_in_place() const;
  /// Throws Error(file_error) if it does not.
  void require_in_place() const;
  /// Makes publishing fail if a file of the final name exists; this file then keeps its temporary name.
  void leave_existing() { leaves_existing_ = true; }
  /// Keeps the file under its temporary name if it is not published.
  void keep() { is_kept_ = true; }
  std::size_t size() const;

  /// Makes the content durable and renames the file to its final name, or to another name in the same folder. Removes
  /// the checksum of a previous file of that name (checksum.hpp). Throws Error(file_error) as require_in_place
  /// does.
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

/// Throws Error(file_error) if no file of this name could be published: the folder is missing, or the name is in use by
/// a special file.
void check_place(const std::string& path);

/// Path after following symbolic links, which is the file that is written.
std::string followed(const std::string& path);

/// Makes the creation, renaming and removal of files in the folder of `path` durable, if its file system supports this.
void sync_folder_of(const std::string& path);

/// Name of an unfinished output: "pendulum.partial.nc" for "pendulum.nc".
std::string partial_path(const std::string& path);
/// Name of the complete output, from that name or from the name of the unfinished file.
std::string final_path(const std::string& path);

}  // namespace kalaba
