#pragma once

#include <cusolverDn.h>

#include <string>
#include <string_view>

namespace kalaba::cuda {

/// Functions of cuSOLVER that Kalaba calls, under the names of <cusolverDn.h>. They are loaded at run time, from the
/// same places as NVRTC: only pseudo_inverse = "cusolver" needs them.
struct CuSolver {
  decltype(&::cusolverDnCreate) cusolverDnCreate;
  decltype(&::cusolverDnDestroy) cusolverDnDestroy;
  decltype(&::cusolverDnSetStream) cusolverDnSetStream;
  decltype(&::cusolverDnCreateGesvdjInfo) cusolverDnCreateGesvdjInfo;
  decltype(&::cusolverDnDestroyGesvdjInfo) cusolverDnDestroyGesvdjInfo;
  decltype(&::cusolverDnXgesvdjSetSortEig) cusolverDnXgesvdjSetSortEig;
  decltype(&::cusolverDnXgesvdjSetTolerance) cusolverDnXgesvdjSetTolerance;
  decltype(&::cusolverDnSgesvdjBatched_bufferSize) cusolverDnSgesvdjBatched_bufferSize;
  decltype(&::cusolverDnDgesvdjBatched_bufferSize) cusolverDnDgesvdjBatched_bufferSize;
  decltype(&::cusolverDnSgesvdjBatched) cusolverDnSgesvdjBatched;
  decltype(&::cusolverDnDgesvdjBatched) cusolverDnDgesvdjBatched;
  decltype(&::cusolverDnSgesvdaStridedBatched_bufferSize) cusolverDnSgesvdaStridedBatched_bufferSize;
  decltype(&::cusolverDnDgesvdaStridedBatched_bufferSize) cusolverDnDgesvdaStridedBatched_bufferSize;
  decltype(&::cusolverDnSgesvdaStridedBatched) cusolverDnSgesvdaStridedBatched;
  decltype(&::cusolverDnDgesvdaStridedBatched) cusolverDnDgesvdaStridedBatched;
};

/// Returns them. Throws Error(no_backend) if there is no cuSOLVER.
const CuSolver& cusolver();

/// Throws Error(internal_error) if a call failed; the message contains `doing`.
void check(cusolverStatus_t status, std::string_view doing);

}  // namespace kalaba::cuda
