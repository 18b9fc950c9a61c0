#pragma once

#include <memory>
#include <string>

#include "kalaba/system.hpp"

namespace kalaba {

/// A runner and the words that say what it runs on.
struct ChosenBackend {
  std::unique_ptr<Runner> runner;
  Backend backend = Backend::cpu;  ///< never automatic
  std::string device;              ///< "cpu: 2 threads, 8 lanes (avx512bw)"
  std::string note;                ///< one line for the user where `auto` had to choose; else empty
  std::string compiled = {};       ///< one line on how the model was compiled for this run; else empty
  PseudoInverse pseudo_inverse = PseudoInverse::svd;  ///< never automatic
  bool interpreted = false;                           ///< on packs
};

/// The pseudo-inverse asked for. `auto` is ldlt where the constraints of the default start are independent, and
/// the SVD elsewhere; always the SVD on the reference.
PseudoInverse choose_pseudo_inverse(const System& system, const Options& options);

/// The options that a model is compiled for on a CPU: with the watch of its events, and a pseudo-inverse that is never
/// automatic.
Options options_to_compile(const System& system, Options options);

/// The runner of the backend asked for. `auto` takes the GPU where there is one that is predicted to be faster
/// (cuda_reservation), and the cpu otherwise.
/// Throws Error(no_backend) where the backend asked for is not here, saying what it needs.
ChosenBackend choose_backend(const System& system, const Options& options);

std::string cpu_device_text(int threads);
std::string reference_device_text(int threads);

/// The CUDA backend; where this build has none, its twin (cuda_absent.cpp) says how to get it.
bool cuda_available();
std::string cuda_unavailable_reason();
ChosenBackend make_cuda_backend(const System& system, const Options& options);
/// Why `auto` leaves the device alone in a run that it could do; empty where it does not.
std::string cuda_reservation(const System& system, const Options& options);
/// One line a device, with its name, memory and architecture.
std::string cuda_device_text();
/// Source of the kernels, where there is a device: "compiled by NVRTC 13.0 65be0d…, /usr/…/libnvrtc.so.13".
std::string cuda_kernels_text();
/// "reduced on the device", or why not; where there is a device.
std::string cuda_statistics_text();

}  // namespace kalaba
