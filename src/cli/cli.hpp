#pragma once

namespace kalaba {

/// Executes the command line `kalaba ...`, reports errors on stderr, and returns the exit code. Never throws.
int run_cli(int argc, const char* const* argv);

}  // namespace kalaba
