#pragma once

#include <string>

namespace kalaba {

/// A private folder under the system's temporary one, removed by the destructor. The constructor removes folders of
/// killed processes.
class WorkFolder {
 public:
  WorkFolder();
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  /// Path of the folder; empty if no folder could be created.
  const std::string& path() const { return path_; }
  /// Keeps the folder for the user, under a name that is never removed automatically.
  void keep();

 private:
  std::string path_;
  int descriptor_ = -1;  // locked as long as the process lives
  bool is_kept_ = false;
};

}  // namespace kalaba
