#pragma once

#include <string>

namespace kalaba {

/// Lock under which one process at a time produces the cache entry of a key: a process that has waited for the lock
/// finds the entry there. The lock is released when its holder ends, even if it is killed.
class KeyLock {
 public:
  /// Waits until the process that holds the lock of the key releases it, at most `most_seconds`. Takes no lock if the
  /// folder cannot be written. Throws Error(ExitCode::interrupted) when interruption_is_requested() during the wait.
  KeyLock(const std::string& folder, const std::string& key, double most_seconds);
  ~KeyLock();
  KeyLock(const KeyLock&) = delete;
  KeyLock& operator=(const KeyLock&) = delete;

  bool is_held() const { return descriptor_ >= 0; }

 private:
  enum class Attempt { taken, held_by_another, impossible };
  Attempt attempt();

  std::string folder_;
  bool has_made_folder_ = false;  // a new folder is removed if it stays empty
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace kalaba
