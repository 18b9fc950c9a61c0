#pragma once

#include <nvrtc.h>

#include <string>

namespace kalaba::cuda {

/// Functions of NVRTC that Kalaba calls, under the names of <nvrtc.h>, loaded at run time.
struct Nvrtc {
  decltype(&::nvrtcVersion) nvrtcVersion;
  decltype(&::nvrtcGetErrorString) nvrtcGetErrorString;
  decltype(&::nvrtcCreateProgram) nvrtcCreateProgram;
  decltype(&::nvrtcDestroyProgram) nvrtcDestroyProgram;
  decltype(&::nvrtcCompileProgram) nvrtcCompileProgram;
  decltype(&::nvrtcGetCUBINSize) nvrtcGetCUBINSize;
  decltype(&::nvrtcGetCUBIN) nvrtcGetCUBIN;
  decltype(&::nvrtcGetProgramLogSize) nvrtcGetProgramLogSize;
  decltype(&::nvrtcGetProgramLog) nvrtcGetProgramLog;
};

struct LoadedNvrtc {
  Nvrtc functions{};
  std::string version;   ///< "NVRTC 13.0"
  std::string identity;  ///< version and build
  std::string file;      ///< its path
  std::string problem;   ///< reason why it cannot be used; else empty
};

/// Returns the first usable NVRTC, which the first call searches. Never throws; see `problem`.
const LoadedNvrtc& loaded_nvrtc();

}  // namespace kalaba::cuda
