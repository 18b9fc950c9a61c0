#pragma once

#include <string>

namespace kalaba {

/// Keeps other processes from writing the same output: one at a time holds the lock of a path. It ends with the
/// process, however that ends.
class RunLock {
 public:
  /// Throws Error(file_error) where another process holds it, or where the path's folder cannot be written.
  explicit RunLock(const std::string& path);
  ~RunLock();
  /// "process 123" where one that lives on this machine holds the lock of the path, else "".
  static std::string holder_of(const std::string& path);
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  std::string lock_path_;
  int descriptor_ = -1;
};

}  // namespace kalaba
