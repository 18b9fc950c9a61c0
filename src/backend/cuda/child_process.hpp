#pragma once

#include <functional>
#include <string>
#include <vector>

namespace kalaba::cuda {

/// Result of work in a child process.
struct ChildResult {
  std::vector<char> bytes;  ///< returned by the work
  std::string failure;      ///< "signal 11 (Segmentation fault)" if the child ended before it returned; else empty
};

/// Forks, runs `work` in the child and returns its result, so that a crash of a library ends only the child. The child
/// has only the calling thread and no open files except the standard ones, and ends with this process. `work` must not
/// throw, and must not take a lock that another thread may hold, except the allocator's. If the system refuses another
/// process, `work` runs in this one. Throws Error(ExitCode::interrupted), and kills the child, when
/// interruption_is_requested().
ChildResult in_child_process(const std::function<std::vector<char>()>& work);

}  // namespace kalaba::cuda
