#pragma once

#include <string>

namespace kalaba {

/// Lets one process at a time make what a cache keeps under a key: who has waited for the lock finds it there. The lock
/// is freed when its holder ends, however that ends.
class KeyLock {
 public:
  /// Waits until the process that holds the lock of the key frees it, at most so many seconds. Where the folder cannot
  /// be written there is no lock.
  KeyLock(const std::string& folder, const std::string& key, double most_seconds);
  ~KeyLock();
  KeyLock(const KeyLock&) = delete;
  KeyLock& operator=(const KeyLock&) = delete;

  bool is_held() const { return descriptor_ >= 0; }

 private:
  enum class Attempt { taken, held_by_another, impossible };
  Attempt attempt();

  std::string folder_;
  bool has_made_folder_ = false;  // it goes again where nothing else is put there
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace kalaba
