#pragma once

#include <memory>
#include <string>

#include "kalaba/system.hpp"

namespace kalaba {

/// A runner, with descriptions of its hardware for the user.
struct ChosenBackend {
  std::unique_ptr<Runner> runner;
  Backend backend = Backend::cpu;  ///< never automatic
  std::string device;              ///< "cpu: 2 threads, 8 lanes (avx512bw)"
  std::string note;                ///< one line for the user where `auto` had to choose; else empty
  std::string compiled = {};       ///< one line on how the model was compiled for this run; else empty
  PseudoInverse pseudo_inverse = PseudoInverse::svd;  ///< never automatic
  bool interpreted = false;                           ///< by the interpreter on packs
};

/// Returns the requested pseudo-inverse. `auto` is ldlt if the constraints of the default start are independent, and
/// the SVD otherwise; on the reference it is always the SVD.
PseudoInverse choose_pseudo_inverse(const System& system, const Options& options);

/// Returns the options for which a model is compiled on a CPU: with the watch of its events, and with a pseudo-inverse
/// that is never automatic.
Options options_to_compile(const System& system, Options options);

/// Returns the runner of the requested backend. `auto` takes the GPU if there is one that is predicted to be faster
/// (cuda_reservation), and the cpu otherwise. For a short run of `members` a model is compiled with fewer optimisations
/// (CompileBounds); 0: any number.
/// Throws Error(no_backend) with the missing requirement if the requested backend is not available.
ChosenBackend choose_backend(const System& system, const Options& options, long members = 0);

std::string cpu_device_text(int threads);
std::string reference_device_text(int threads);

/// The CUDA backend. In a build without it, cuda_absent.cpp defines the same functions, which report how to get it.
bool cuda_available();
std::string cuda_unavailable_reason();
ChosenBackend make_cuda_backend(const System& system, const Options& options);
/// Returns the reason why `auto` does not use the device in a run that the device supports; empty if it does use it.
std::string cuda_reservation(const System& system, const Options& options);
/// One line per device, with its name, memory and architecture.
std::string cuda_device_text();
/// Returns the source of the kernels on a device: "compiled by NVRTC 13.0 65be0d…, /usr/…/libnvrtc.so.13".
std::string cuda_kernels_text();
/// Returns "reduced on the device" or the reason why statistics are not reduced there; requires a device.
std::string cuda_statistics_text();

}  // namespace kalaba
