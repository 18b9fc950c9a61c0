#include "backend/cuda/batched_svd.hpp"

#include <algorithm>
#include <limits>

#include "backend/cuda/cusolver.hpp"
#include "kalaba/error.hpp"

namespace kalaba::cuda {
namespace {

// Limits of one call, so that an int can hold the size of its workspace.
constexpr long most_matrices = 1L << 16;
constexpr long most_numbers = 1L << 27;
constexpr int most_jacobi_rows = 32;
constexpr auto vectors = CUSOLVER_EIG_MODE_VECTOR;

/// cuSOLVER's functions for a precision.
template <class T>
struct Routines;
template <>
struct Routines<float> {
  decltype(&::cusolverDnSgesvdjBatched_bufferSize) jacobi_size = cusolver().cusolverDnSgesvdjBatched_bufferSize;
  decltype(&::cusolverDnSgesvdjBatched) jacobi = cusolver().cusolverDnSgesvdjBatched;
  decltype(&::cusolverDnSgesvdaStridedBatched_bufferSize) tall_size =
      cusolver().cusolverDnSgesvdaStridedBatched_bufferSize;
  decltype(&::cusolverDnSgesvdaStridedBatched) tall = cusolver().cusolverDnSgesvdaStridedBatched;
};
template <>
struct Routines<double> {
  decltype(&::cusolverDnDgesvdjBatched_bufferSize) jacobi_size = cusolver().cusolverDnDgesvdjBatched_bufferSize;
  decltype(&::cusolverDnDgesvdjBatched) jacobi = cusolver().cusolverDnDgesvdjBatched;
  decltype(&::cusolverDnDgesvdaStridedBatched_bufferSize) tall_size =
      cusolver().cusolverDnDgesvdaStridedBatched_bufferSize;
  decltype(&::cusolverDnDgesvdaStridedBatched) tall = cusolver().cusolverDnDgesvdaStridedBatched;
};

struct Destroy {
  void operator()(cusolverDnHandle_t handle) const noexcept { static_cast<void>(cusolver().cusolverDnDestroy(handle)); }
  void operator()(gesvdjInfo_t info) const noexcept { static_cast<void>(cusolver().cusolverDnDestroyGesvdjInfo(info)); }
};

/// Common part of both methods: the handle, the workspace, and calls with a bounded number of matrices.
template <class T>
class Solver : public BatchedSvd {
 public:
  Solver(int length, int extent) : length_(length), extent_(extent) {
    cusolverDnHandle_t handle = nullptr;
    const cusolverStatus_t opened = cusolver().cusolverDnCreate(&handle);
    if (opened != CUSOLVER_STATUS_SUCCESS) {
      throw Error(ExitCode::no_backend,
                  "pseudo_inverse = \"cusolver\": cuSOLVER cannot be opened on this device (cusolverStatus_t " +
                      std::to_string(static_cast<int>(opened)) +
                      "): it may be of another CUDA than the driver is for; use \"svd\"");
    }
    handle_.reset(handle);
  }

  void reserve(long count) override {
    work_ = DeviceBuffer();
    work_numbers_ = numbers(static_cast<int>(std::min(count, matrices_a_call())));
    work_ = DeviceBuffer(static_cast<std::size_t>(work_numbers_) * sizeof(T));
  }

  void enqueue(const SvdArrays& arrays, long count, const Stream& stream) override {
    check(cusolver().cusolverDnSetStream(handle(), stream.get()), "choosing a stream");
    for (long first = 0; first < count; first += matrices_a_call()) {
      const auto at = [&](void* numbers, int each) { return static_cast<T*>(numbers) + first * each; };
      call(at(arrays.a, length_ * extent_), at(arrays.values, extent_), at(arrays.u, length_ * u_columns()),
           at(arrays.v, extent_ * extent_), arrays.info + first,
           static_cast<int>(std::min(count - first, matrices_a_call())));
    }
  }

 protected:
  /// Numbers of workspace for that many matrices.
  virtual int numbers(int count) const = 0;
  virtual void call(T* a, T* values, T* u, T* v, int* info, int count) = 0;

  long matrices_a_call() const {
    return std::min(most_matrices, most_numbers / (static_cast<long>(length_) * length_));
  }
  cusolverDnHandle_t handle() const { return handle_.get(); }

  const int length_;
  const int extent_;
  const Routines<T> routines_;
  int work_numbers_ = 0;
  DeviceBuffer work_;

 private:
  std::unique_ptr<cusolverDnContext, Destroy> handle_;
};

template <class T>
class JacobiSolver final : public Solver<T> {
 public:
  JacobiSolver(int length, int extent) : Solver<T>(length, extent) {
    gesvdjInfo_t settings = nullptr;
    check(cusolver().cusolverDnCreateGesvdjInfo(&settings), "making its settings");
    settings_.reset(settings);
    check(cusolver().cusolverDnXgesvdjSetSortEig(settings, 0), "turning off the sorting of singular values");
    // The default tolerance, one rounding error, lets sweeps continue below the last digit, sometimes without end.
    check(cusolver().cusolverDnXgesvdjSetTolerance(settings, 8.0 * std::numeric_limits<T>::epsilon()),
          "choosing its tolerance");
  }

  int u_columns() const override { return this->length_; }

 private:
  int numbers(int count) const override {
    int numbers = 0;
    check(this->routines_.jacobi_size(this->handle(), vectors, this->length_, this->extent_, nullptr, this->length_,
                                      nullptr, nullptr, this->length_, nullptr, this->extent_, &numbers,
                                      settings_.get(), count),
          "computing the size of its workspace");
    return numbers;
  }
  void call(T* a, T* values, T* u, T* v, int* info, int count) override {
    check(this->routines_.jacobi(this->handle(), vectors, this->length_, this->extent_, a, this->length_, values, u,
                                 this->length_, v, this->extent_, this->work_.template data<T>(), this->work_numbers_,
                                 info, settings_.get(), count),
          "gesvdjBatched");
  }

  std::unique_ptr<gesvdjInfo, Destroy> settings_;
};

template <class T>
class TallSolver final : public Solver<T> {
 public:
  using Solver<T>::Solver;
  int u_columns() const override { return this->extent_; }

 private:
  long long size() const { return static_cast<long long>(this->length_) * this->extent_; }
  long long square() const { return static_cast<long long>(this->extent_) * this->extent_; }

  int numbers(int count) const override {
    int numbers = 0;
    check(this->routines_.tall_size(this->handle(), vectors, this->extent_, this->length_, this->extent_, nullptr,
                                    this->length_, size(), nullptr, this->extent_, nullptr, this->length_, size(),
                                    nullptr, this->extent_, square(), &numbers, count),
          "computing the size of its workspace");
    return numbers;
  }
  void call(T* a, T* values, T* u, T* v, int* info, int count) override {
    double* const no_residuals = nullptr;  // computing residuals would make the call wait
    check(this->routines_.tall(this->handle(), vectors, this->extent_, this->length_, this->extent_, a, this->length_,
                               size(), values, this->extent_, u, this->length_, size(), v, this->extent_, square(),
                               this->work_.template data<T>(), this->work_numbers_, info, no_residuals, count),
          "gesvdaStridedBatched");
  }
};

template <class T>
std::unique_ptr<BatchedSvd> make(int length, int extent) {
  if (length <= most_jacobi_rows) return std::make_unique<JacobiSolver<T>>(length, extent);
  return std::make_unique<TallSolver<T>>(length, extent);
}

}  // namespace

std::unique_ptr<BatchedSvd> make_batched_svd(int length, int extent, Precision precision) {
  return precision == Precision::single_precision ? make<float>(length, extent) : make<double>(length, extent);
}

}  // namespace kalaba::cuda
