#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// What became of a program that was run.
struct ProcessResult {
  bool succeeded = false;  ///< it ran and its exit status is 0
  std::string failure;     ///< in a few words, where it did not succeed
  std::string output;      ///< what it wrote to both outputs, the first 64 KiB of it
};

/// Runs a program (looked for in PATH) and waits for it. After `seconds` it is killed, and so are its children, which
/// are at its end too. Never throws for what the program does.
ProcessResult run_process(const std::vector<std::string>& words, double seconds);

/// "0.25 s", "4.8 s"
std::string seconds_text(double seconds);

}  // namespace kalaba
