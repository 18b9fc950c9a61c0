// Spherical pendulum as an expert writes it for a GPU: the right-hand side derived by hand (Udwadia 2016, section 4.1),
// RK4, one thread per member, the whole time loop in registers. State rows x, y, z, p_x, p_y, p_z, each of `stride`
// members.
extern "C" __global__ void __launch_bounds__(128)
    expert(double* state, const double* length, long members, long stride, double m, double g, double dt, long steps) {
  const long i = blockIdx.x * 128L + threadIdx.x;
  if (i >= members) return;
  double now[6];
  for (int k = 0; k < 6; ++k) now[k] = state[k * stride + i];
  const double inverse_m = 1 / m;
  const double factor = m / (length[i] * length[i]);
  const double advance[4] = {dt / 2, dt / 2, dt, 0};
  const double weight[4] = {dt / 6, dt / 3, dt / 3, dt / 6};
  for (long step = 0; step < steps; ++step) {
    double x[6];
    double sum[6];
    for (int k = 0; k < 6; ++k) x[k] = sum[k] = now[k];
#pragma unroll
    for (int stage = 0; stage < 4; ++stage) {
      const double pull = factor * (inverse_m * inverse_m * (x[3] * x[3] + x[4] * x[4] + x[5] * x[5]) + g * x[2]);
      const double rate[6] = {x[3] * inverse_m, x[4] * inverse_m, x[5] * inverse_m,
                              -pull * x[0],     -pull * x[1],     m * g - pull * x[2]};
#pragma unroll
      for (int k = 0; k < 6; ++k) {
        sum[k] += weight[stage] * rate[k];
        x[k] = now[k] + advance[stage] * rate[k];
      }
    }
#pragma unroll
    for (int k = 0; k < 6; ++k) now[k] = sum[k];
  }
  for (int k = 0; k < 6; ++k) state[k * stride + i] = now[k];
}
