// The part of cuSOLVER that Kalaba uses, implemented with Eigen on the CPU, in order with the other work of the
// emulated driver's streams. Behaviour that cuSOLVER leaves unspecified is the least convenient one: A and the
// workspace are destroyed, singular values that need not be sorted are in ascending order, and U has arbitrary
// completing columns after the significant ones.

#include <cusolverDn.h>
#include <dlfcn.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

#include "environment.hpp"
#include "library_call.hpp"

struct cusolverDnContext {
  cudaStream_t stream = nullptr;
  bool owes_an_error = false;
};
struct gesvdjInfo {
  bool sorts = true;
  double tolerance = 0;
};

namespace kalaba::emulated {
namespace {

LibraryCall* library_call() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  void* const symbol = driver == nullptr ? nullptr : dlsym(driver, "kalaba_emulated_library_call");
  return reinterpret_cast<LibraryCall*>(symbol);
}

/// A batch with the arguments of the call: contiguous matrices in column-major order; U has m rows.
template <class T>
struct Batch {
  int m;
  int n;
  T* a;
  T* values;
  T* u;
  int u_columns;
  T* v;
  T* work;
  int work_numbers;
  int* info;
  int count;
  bool sorted;
};

/// The matrix of each batch, from 1, that does not converge; 0 for none.
int failing_matrix() { return fault().starts_with("svd:") ? std::stoi(fault().substr(4)) : 0; }

template <class T>
void decompose(const Batch<T>& batch, int k) {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  const auto matrix = [&](T* numbers, int rows, int columns) {
    return Eigen::Map<Matrix>(numbers + static_cast<long>(k) * rows * columns, rows, columns);
  };
  auto a = matrix(batch.a, batch.m, batch.n);
  auto u = matrix(batch.u, batch.m, batch.u_columns);
  auto v = matrix(batch.v, batch.n, batch.n);
  auto values = matrix(batch.values, batch.n, 1);
  const Matrix copy = a;
  a.setConstant(std::numeric_limits<T>::quiet_NaN());
  batch.info[k] = 0;
  if (k + 1 == failing_matrix() || !copy.allFinite()) {
    for (auto* each : {&u, &v}) each->setConstant(std::numeric_limits<T>::quiet_NaN());
    batch.info[k] = batch.n + 1;
    return;
  }
  const Eigen::JacobiSVD<Matrix, Eigen::FullPivHouseholderQRPreconditioner> svd(
      copy, Eigen::ComputeFullU | Eigen::ComputeFullV);
  u = svd.matrixU().leftCols(batch.u_columns);
  v = svd.matrixV();
  values = svd.singularValues();
  if (batch.sorted) return;
  u.leftCols(batch.n) = u.leftCols(batch.n).rowwise().reverse().eval();
  v = v.rowwise().reverse().eval();
  values = values.reverse().eval();
}

template <class T>
void run(void* data) {
  const auto& batch = *static_cast<const Batch<T>*>(data);
  std::fill_n(batch.work, batch.work_numbers, std::numeric_limits<T>::quiet_NaN());
  for (int k = 0; k < batch.count; ++k) decompose(batch, k);
}

template <class T>
cusolverStatus_t enqueue(cusolverDnHandle_t handle, const char* name, const Batch<T>& batch) {
  // A failed recording is reported twice, as CUDA's runtime keeps its last error.
  if (std::exchange(handle->owes_an_error, false)) return CUSOLVER_STATUS_INTERNAL_ERROR;
  const auto drop = [](void* data) { delete static_cast<Batch<T>*>(data); };
  const CUresult result = library_call()(handle->stream, name, &run<T>, drop, new Batch<T>(batch));
  handle->owes_an_error = result == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  return result == CUDA_SUCCESS ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_EXECUTION_FAILED;
}

cusolverStatus_t refuse(const char* name) {
  std::fprintf(stderr, "emulated cuSOLVER: %s: what it was given makes no sense\n", name);
  return CUSOLVER_STATUS_INVALID_VALUE;
}

cusolverStatus_t workspace(int m, int n, int count, int* numbers) {
  *numbers = m * n * count;
  return CUSOLVER_STATUS_SUCCESS;
}

template <class T>
cusolverStatus_t jacobi(cusolverDnHandle_t handle, cusolverEigMode_t mode, int m, int n, T* a, int lda, T* values, T* u,
                        int ldu, T* v, int ldv, T* work, int work_numbers, int* info, gesvdjInfo_t settings,
                        int count) {
  const bool good = mode == CUSOLVER_EIG_MODE_VECTOR && n >= 1 && m >= n && m <= 32 && lda == m && ldu == m &&
                    ldv == n && work_numbers >= m * n * count && count > 0;
  if (!good) return refuse("gesvdjBatched");
  const Batch<T> batch = {m, n, a, values, u, m, v, work, work_numbers, info, count, settings->sorts};
  return enqueue(handle, "cuSOLVER gesvdjBatched", batch);
}

template <class T>
cusolverStatus_t tall(cusolverDnHandle_t handle, cusolverEigMode_t mode, int rank, int m, int n, const T* a, int lda,
                      long long stride_a, T* values, long long stride_values, T* u, int ldu, long long stride_u, T* v,
                      int ldv, long long stride_v, T* work, int work_numbers, int* info, int count) {
  const bool good = mode == CUSOLVER_EIG_MODE_VECTOR && rank == n && n >= 1 && m >= n && lda == m &&
                    stride_a == m * n && stride_values == n && ldu == m && stride_u == m * n && ldv == n &&
                    stride_v == n * n && work_numbers >= m * n * count && count > 0;
  if (!good) return refuse("gesvdaStridedBatched");
  const Batch<T> batch = {m, n, const_cast<T*>(a), values, u, n, v, work, work_numbers, info, count, true};
  return enqueue(handle, "cuSOLVER gesvdaStridedBatched", batch);
}

}  // namespace
}  // namespace kalaba::emulated

using namespace kalaba::emulated;

extern "C" {

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  if (library_call() == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;  // the driver is not the emulated one
  *handle = new cusolverDnContext;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t* info) {
  *info = new gesvdjInfo;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t info) {
  delete info;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXgesvdjSetSortEig(gesvdjInfo_t info, int sort) {
  info->sorts = sort != 0;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXgesvdjSetTolerance(gesvdjInfo_t info, double tolerance) {
  info->tolerance = tolerance;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSgesvdjBatched_bufferSize(cusolverDnHandle_t, cusolverEigMode_t, int m, int n, const float*,
                                                     int, const float*, const float*, int, const float*, int,
                                                     int* numbers, gesvdjInfo_t, int count) {
  return workspace(m, n, count, numbers);
}
cusolverStatus_t cusolverDnDgesvdjBatched_bufferSize(cusolverDnHandle_t, cusolverEigMode_t, int m, int n, const double*,
                                                     int, const double*, const double*, int, const double*, int,
                                                     int* numbers, gesvdjInfo_t, int count) {
  return workspace(m, n, count, numbers);
}
cusolverStatus_t cusolverDnSgesvdjBatched(cusolverDnHandle_t handle, cusolverEigMode_t mode, int m, int n, float* a,
                                          int lda, float* values, float* u, int ldu, float* v, int ldv, float* work,
                                          int work_numbers, int* info, gesvdjInfo_t settings, int count) {
  return jacobi(handle, mode, m, n, a, lda, values, u, ldu, v, ldv, work, work_numbers, info, settings, count);
}
cusolverStatus_t cusolverDnDgesvdjBatched(cusolverDnHandle_t handle, cusolverEigMode_t mode, int m, int n, double* a,
                                          int lda, double* values, double* u, int ldu, double* v, int ldv, double* work,
                                          int work_numbers, int* info, gesvdjInfo_t settings, int count) {
  return jacobi(handle, mode, m, n, a, lda, values, u, ldu, v, ldv, work, work_numbers, info, settings, count);
}

cusolverStatus_t cusolverDnSgesvdaStridedBatched_bufferSize(cusolverDnHandle_t, cusolverEigMode_t, int, int m, int n,
                                                            const float*, int, long long, const float*, long long,
                                                            const float*, int, long long, const float*, int, long long,
                                                            int* numbers, int count) {
  return workspace(m, n, count, numbers);
}
cusolverStatus_t cusolverDnDgesvdaStridedBatched_bufferSize(cusolverDnHandle_t, cusolverEigMode_t, int, int m, int n,
                                                            const double*, int, long long, const double*, long long,
                                                            const double*, int, long long, const double*, int,
                                                            long long, int* numbers, int count) {
  return workspace(m, n, count, numbers);
}
cusolverStatus_t cusolverDnSgesvdaStridedBatched(cusolverDnHandle_t handle, cusolverEigMode_t mode, int rank, int m,
                                                 int n, const float* a, int lda, long long stride_a, float* values,
                                                 long long stride_values, float* u, int ldu, long long stride_u,
                                                 float* v, int ldv, long long stride_v, float* work, int work_numbers,
                                                 int* info, double* /*residuals*/, int count) {
  return tall(handle, mode, rank, m, n, a, lda, stride_a, values, stride_values, u, ldu, stride_u, v, ldv, stride_v,
              work, work_numbers, info, count);
}
cusolverStatus_t cusolverDnDgesvdaStridedBatched(cusolverDnHandle_t handle, cusolverEigMode_t mode, int rank, int m,
                                                 int n, const double* a, int lda, long long stride_a, double* values,
                                                 long long stride_values, double* u, int ldu, long long stride_u,
                                                 double* v, int ldv, long long stride_v, double* work, int work_numbers,
                                                 int* info, double* /*residuals*/, int count) {
  return tall(handle, mode, rank, m, n, a, lda, stride_a, values, stride_values, u, ldu, stride_u, v, ldv, stride_v,
              work, work_numbers, info, count);
}

}  // extern "C"
