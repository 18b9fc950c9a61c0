// Compiled by nvcc and by NVRTC, never run: the core and the models are CUDA code as they stand.
// MODEL, HEADER, REAL and INVERSE come from the command line.

#include HEADER

#include "member_kernel.cuh"

extern "C" __global__ void __launch_bounds__(128)
    advance(kalaba::BatchView batch, kalaba::TimeGrid time, long first_step, long steps) {
  constexpr kalaba::Method method{};
  kalaba::advance_thread<kalaba::MODEL, REAL, kalaba::INVERSE>(batch, method, time, first_step, steps);
}
