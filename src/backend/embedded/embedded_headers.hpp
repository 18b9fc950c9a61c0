#pragma once

#include <span>
#include <string>

#include "backend/cache/fingerprint.hpp"

namespace kalaba {

/// A header that came with the program, for the compilers at run time.
struct EmbeddedHeader {
  const char* name;  ///< as it is included: "kalaba/core/matrix.hpp"
  const char* text;
};

/// The core, the systems, the kernels and what a CPU wraps around a model, by name; embed_headers.cmake writes them
/// into the program.
std::span<const EmbeddedHeader> embedded_headers();

/// A fingerprint of all of them, names and texts.
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
