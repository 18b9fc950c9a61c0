#pragma once

#include <string>

namespace kalaba {

/// Exclusive lock of an output path between processes. The system releases it when the process ends, for any reason.
class RunLock {
 public:
  /// Throws Error(file_error) if another process holds the lock, or if the path's folder cannot be written.
  explicit RunLock(const std::string& path);
  ~RunLock();
  /// "process 123" if a running process of this machine holds the lock of the path, else "".
  static std::string holder_of(const std::string& path);
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  std::string lock_path_;
  int descriptor_ = -1;
};

}  // namespace kalaba
