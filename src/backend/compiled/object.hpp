#pragma once

#include <string>
#include <vector>

#include "backend/compiled/host_compiler.hpp"
#include "backend/compiled/precompiled_headers.hpp"
#include "kalaba/backend/member_functions.hpp"
#include "kalaba/options.hpp"

namespace kalaba {

/// A shared object, or why there is none.
struct CompiledObject {
  std::vector<char> bytes;
  std::string problem;  ///< one line; empty where it compiled
};

/// Compiles a text with the embedded headers, in a private folder under the system's temporary one, which is kept, and
/// named in the problem, where the compiler fails. The compiler is killed after `most_seconds`. Never throws for what
/// the compiler does. Headers that are precompiled are used where there are any; the object is the same without.
CompiledObject compile_object(const HostCompiler& compiler, const std::string& source, double most_seconds,
                              const PrecompiledHeaders* headers = nullptr);

/// The functions of an object, which stays loaded as long as the process lives; or why it cannot be used.
struct LoadedObject {
  MemberFunctions functions;
  std::string problem;
};
LoadedObject load_object(const std::vector<char>& bytes, Precision precision);

}  // namespace kalaba
