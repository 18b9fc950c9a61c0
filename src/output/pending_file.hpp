#pragma once

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
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  const std::string& final_path() const { return final_path_; }
  const std::string& temporary_path() const { return temporary_path_; }
  int descriptor() const { return descriptor_; }

  /// Appends bytes.
  void write(std::string_view bytes);
  /// Replaces bytes that were written, from the offset on.
  void overwrite(long offset, std::string_view bytes);
  /// Takes all bytes away again.
  void clear();

  /// Puts the content on the disk and gives it its final name, or another in the same folder.
  void publish() { publish_as(final_path_); }
  void publish_as(const std::string& path);

 private:
  [[noreturn]] void fail(const std::string& path, const std::string& doing) const;

  std::string final_path_;
  std::string temporary_path_;
  int descriptor_ = -1;
};

/// The name of an unfinished output: "pendulum.nc" becomes "pendulum.partial.nc".
std::string partial_path(const std::string& path);

}  // namespace kalaba
