#pragma once

#include <cusolverDn.h>

#include <string>
#include <string_view>

namespace kalaba::cuda {

/// The functions of cuSOLVER that Kalaba calls, under the names of <cusolverDn.h>. They are found at run time, where
/// NVRTC is looked for too: only pseudo_inverse = "cusolver" needs them.
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

/// Throws Error(no_backend) where there is none.
const CuSolver& cusolver();

/// Throws Error(internal_error) where a call did not succeed, with what was being done.
void check(cusolverStatus_t status, std::string_view doing);

}  // namespace kalaba::cuda
