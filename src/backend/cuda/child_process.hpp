#pragma once

#include <functional>
#include <string>
#include <vector>

namespace kalaba::cuda {

/// Result of work in a child process.
struct ChildResult {
  std::vector<char> bytes;  ///< returned by the work
  std::string failure;      ///< "signal 11 (Segmentation fault)" where the child ended before it returned; else empty
};

/// Forks, runs `work` in the child and returns its result, so that a crash of a library ends the child alone. The child
/// has only the calling thread, no open files but the standard ones, and dies with this process. `work` must not throw,
/// and must not need a lock that another thread may hold, but for the allocator's. Where the system refuses another
/// process, `work` runs in this one.
ChildResult in_child_process(const std::function<std::vector<char>()>& work);

}  // namespace kalaba::cuda
