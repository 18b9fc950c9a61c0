#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kalaba::emulated {

struct Compilation {
  bool good = false;
  std::string binary;  ///< a shared library
  std::string log;     ///< output of the compiler
};

/// Compiles CUDA for the CPU with the host's compiler. `headers`: pairs of include name and text; `options`: the -D, -U
/// and -I options that are passed on.
Compilation compile(const std::string& name, const std::string& source,
                    const std::vector<std::pair<std::string, std::string>>& headers,
                    const std::vector<std::string>& options);

}  // namespace kalaba::emulated
