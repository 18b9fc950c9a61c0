#pragma once

#include <cstdlib>
#include <string>

// Settings of the emulation, read at every call so that a test may change them:
//
//   KALABA_EMULATED_DEVICES=n   number of devices (1)
//   KALABA_EMULATED_MEMORY=n    memory of each, bytes (1 GiB)
//   KALABA_EMULATED_SPILL=n     local memory per thread of every kernel, bytes
//   KALABA_EMULATED_TIMING      late (the default): a stream executes its work when the host waits for it, as late as
//                               the order permits; early: immediately, concurrently with the caller
//   KALABA_EMULATED_FAULT       "no_driver_init", "old_driver", "busy", launch:N, memory:N; svd:N (matrix N of every
//                               batch does not converge), unrecordable (cuSOLVER's calls cannot be recorded in a
//                               graph); compiler (NVRTC crashes)

namespace kalaba::emulated {

inline std::string setting(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

inline long number_setting(const char* name, long otherwise) {
  const std::string text = setting(name);
  return text.empty() ? otherwise : std::strtol(text.c_str(), nullptr, 10);
}

inline std::string fault() { return setting("KALABA_EMULATED_FAULT"); }
inline bool late() { return setting("KALABA_EMULATED_TIMING") != "early"; }

}  // namespace kalaba::emulated
