#pragma once

namespace kalaba {

/// Where this executable comes from.
struct BuildInfo {
  const char* version;
  const char* commit;  ///< of the sources when they were built; "-dirty" where they were changed; "unknown" without git
  const char* compiler;
  const char* build_type;
  const char* arch;        ///< as -march takes it
  const char* sanitizers;  ///< "none", or as -fsanitize takes them
};

extern const BuildInfo build_info;

}  // namespace kalaba
