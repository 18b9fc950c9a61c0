#pragma once

#include <string>
#include <vector>

#include "backend/compiled/host_compiler.hpp"
#include "backend/compiled/precompiled_headers.hpp"
#include "kalaba/backend/member_functions.hpp"
#include "kalaba/options.hpp"

namespace kalaba {

/// A shared object, or the reason why there is none.
struct CompiledObject {
  std::vector<char> bytes;
  std::string problem;  ///< one line; empty if it compiled
};

/// Compiles a text with the embedded headers in a private folder under the system's temporary one. If the compiler
/// fails, the folder is kept, and the problem contains its name. The compiler is killed after `most_seconds`. Never
/// throws because of the compiler. Uses precompiled headers if there are any; the object does not depend on them.
CompiledObject compile_object(const HostCompiler& compiler, const std::string& source, double most_seconds,
                              const PrecompiledHeaders* headers = nullptr);

/// Functions of an object, which stays loaded as long as the process lives; or the reason why it cannot be used.
struct LoadedObject {
  MemberFunctions functions;
  std::string problem;
};
LoadedObject load_object(const std::vector<char>& bytes, Precision precision);

}  // namespace kalaba
