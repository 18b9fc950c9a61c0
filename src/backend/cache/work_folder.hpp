#pragma once

#include <string>

namespace kalaba {

/// A private folder under the system's temporary one, which goes with its owner. Making one removes those of processes
/// that were killed.
class WorkFolder {
 public:
  WorkFolder();
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  /// Empty where no folder could be made.
  const std::string& path() const { return path_; }
  /// Leaves the folder to the user, under a name that nobody removes.
  void keep();

 private:
  std::string path_;
  int descriptor_ = -1;  // locked as long as the process lives
  bool is_kept_ = false;
};

}  // namespace kalaba
