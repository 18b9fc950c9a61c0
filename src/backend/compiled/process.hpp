#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// Result of a program that was run.
struct ProcessResult {
  bool succeeded = false;    ///< the program ran and its exit status is 0
  bool interrupted = false;  ///< it was killed because interruption_is_requested()
  std::string failure;       ///< reason in a few words if it did not succeed
  std::string output;        ///< its standard output and error, the first 64 KiB
};

/// Runs a program (found through PATH) and waits for it. After `seconds`, or when interruption_is_requested(), the
/// program and its children are killed; children that remain when the program ends are killed too. Never throws because
/// of the program.
ProcessResult run_process(const std::vector<std::string>& words, double seconds);

/// "0.25 s", "4.8 s"
std::string seconds_text(double seconds);

}  // namespace kalaba
