// A user's .cu file: kernels of a model compiled beforehand.
#include <kalaba/cuda.hpp>
#include <kalaba/systems/spherical_pendulum.hpp>

kalaba::System::CudaFactory pendulum_on_cuda();
kalaba::System::CudaFactory pendulum_on_cuda() { return &kalaba::cuda_runner<kalaba::SphericalPendulum>; }
