#pragma once

namespace kalaba {

/// Origin of this executable.
struct BuildInfo {
  const char* version;
  const char* commit;  ///< of the sources when they were built; "-dirty" if they were changed; "unknown" without git
  const char* compiler;
  const char* build_type;
  const char* arch;        ///< argument of -march
  const char* sanitizers;  ///< "none", or arguments of -fsanitize
};

extern const BuildInfo build_info;

}  // namespace kalaba
