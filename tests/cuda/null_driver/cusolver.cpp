// libcusolver.so.12 whose decompositions do nothing and succeed, for the null driver: runs with pseudo_inverse =
// "cusolver" request all their kernels.

#include <cusolverDn.h>

namespace {

int handle = 0;

cusolverStatus_t size_of_workspace(int* size) {
  *size = 1;
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* made) {
  *made = reinterpret_cast<cusolverDnHandle_t>(&handle);
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t) { return CUSOLVER_STATUS_SUCCESS; }
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t, cudaStream_t) { return CUSOLVER_STATUS_SUCCESS; }
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t* made) {
  *made = reinterpret_cast<gesvdjInfo_t>(&handle);
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t) { return CUSOLVER_STATUS_SUCCESS; }
cusolverStatus_t cusolverDnXgesvdjSetSortEig(gesvdjInfo_t, int) { return CUSOLVER_STATUS_SUCCESS; }
cusolverStatus_t cusolverDnXgesvdjSetTolerance(gesvdjInfo_t, double) { return CUSOLVER_STATUS_SUCCESS; }

#define KALABA_ROUTINES(letter, T)                                                                                     \
  cusolverStatus_t cusolverDn##letter##gesvdjBatched_bufferSize(cusolverDnHandle_t, cusolverEigMode_t, int, int,       \
                                                                const T*, int, const T*, const T*, int, const T*, int, \
                                                                int* size, gesvdjInfo_t, int) {                        \
    return size_of_workspace(size);                                                                                    \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##letter##gesvdjBatched(cusolverDnHandle_t, cusolverEigMode_t, int, int, T*, int, T*, T*, \
                                                     int, T*, int, T*, int, int*, gesvdjInfo_t, int) {                 \
    return CUSOLVER_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##letter##gesvdaStridedBatched_bufferSize(                                                \
      cusolverDnHandle_t, cusolverEigMode_t, int, int, int, const T*, int, long long, const T*, long long, const T*,   \
      int, long long, const T*, int, long long, int* size, int) {                                                      \
    return size_of_workspace(size);                                                                                    \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##letter##gesvdaStridedBatched(                                                           \
      cusolverDnHandle_t, cusolverEigMode_t, int, int, int, const T*, int, long long, T*, long long, T*, int,          \
      long long, T*, int, long long, T*, int, int*, double*, int) {                                                    \
    return CUSOLVER_STATUS_SUCCESS;                                                                                    \
  }
KALABA_ROUTINES(S, float)
KALABA_ROUTINES(D, double)
#undef KALABA_ROUTINES

}  // extern "C"
