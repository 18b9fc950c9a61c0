#include "backend/pseudo_inverse.hpp"

#include <algorithm>
#include <string>

#include "backend/cuda/driver.hpp"
#include "backend/cuda/matrix_kernels.hpp"

namespace kalaba {
namespace {

void check_threads(int threads) {
  constexpr int good[] = {0, 1, 4, 8, 16, 32};
  if (std::ranges::find(good, threads) != std::end(good)) return;
  throw Error(ExitCode::bad_input, "batch of matrices: threads_per_matrix = " + std::to_string(threads) +
                                       "; expected 1, 4, 8, 16 or 32, or 0 for what suits the shape");
}

template <class T>
void launch(const MatrixTask<T>& task, const OnDevice& device, const char* real) {
  check_threads(device.threads_per_matrix);
  const cuda::Kernel kernel =
      cuda::matrix_kernel({real, task.method, task.shape, task.requested}, device.threads_per_matrix);
  MatrixArrays<T> arrays = task.arrays;
  T tolerance = task.rank_tolerance;
  void* arguments[] = {&arrays, &tolerance};
  const auto blocks = static_cast<unsigned>(kernel.grid.blocks(arrays.count));
  cuda::check(
      cuda::driver().cuLaunchKernel(kernel.function, blocks, 1, 1, static_cast<unsigned>(kernel.grid.block_threads), 1,
                                    1, kernel.shared_bytes, device.stream, arguments, nullptr),
      "launching the pseudo-inverses");
}

}  // namespace

void factorize_on_device(const MatrixTask<float>& task, const OnDevice& device) { launch(task, device, "float"); }
void factorize_on_device(const MatrixTask<double>& task, const OnDevice& device) { launch(task, device, "double"); }

}  // namespace kalaba
