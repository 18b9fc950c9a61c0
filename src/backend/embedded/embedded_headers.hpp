#pragma once

#include <span>
#include <string>

#include "backend/cache/fingerprint.hpp"

namespace kalaba {

/// A header embedded in the program, for run-time compilation.
struct EmbeddedHeader {
  const char* name;  ///< as it is included: "kalaba/core/base/matrix.hpp"
  const char* text;
};

/// Returns the core, the systems, the kernels and the CPU's code around a model, by name; embed_headers.cmake embeds
/// them in the program.
std::span<const EmbeddedHeader> embedded_headers();

/// Fingerprint of all of them, names and texts.
inline const std::string& embedded_headers_fingerprint() {
  static const std::string once = [] {
    Fingerprint all;
    for (const EmbeddedHeader& header : embedded_headers()) {
      all.add(header.name);
      all.add(header.text);
    }
    return all.hex();
  }();
  return once;
}

}  // namespace kalaba
