#pragma once

namespace kalaba {

/// The command line `kalaba ...`: does what it asks, reports errors on stderr, and returns the exit code. Never throws.
int run_cli(int argc, const char* const* argv);

}  // namespace kalaba
