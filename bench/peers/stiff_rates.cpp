// Starts, rates, Jacobians and ends of the systems of stiff_systems.hpp. bench/stiff_peers.py compiles this file and
// calls its functions.

#include <algorithm>

#include "stiff_systems.hpp"

using namespace kalaba::peers;

template <class System>
static void rate_of(const double* y, double parameter, double* f) {
  Rate<System>(parameter).rate(y, f);
}

template <class System>
static void jacobian_of(const double* y, double parameter, double* matrix) {  // [row][column]
  constexpr std::size_t n = System::size;
  Rate<System> equations(parameter);
  double f[2 * n], lower[n][2 * n];
  equations.rate(y, f);
  equations.jacobian(y, f, lower);
  std::fill_n(matrix, 2 * n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) matrix[2 * n * i + n + i] = 1;
  std::copy_n(&lower[0][0], 2 * n * n, matrix + 2 * n * n);
}

extern "C" {

void chain_start(double* y) { StiffChain::start(y); }
void chain_rate(const double* y, double eta, double* f) { rate_of<StiffChain>(y, eta, f); }
void chain_jacobian(const double* y, double eta, double* matrix) { jacobian_of<StiffChain>(y, eta, matrix); }
void chain_end(const double* y, double* numbers) { StiffChain::end_of(y, numbers); }

void governor_start(double* y) { Governor::start(y); }
void governor_rate(const double* y, double damping, double* f) { rate_of<Governor>(y, damping, f); }
void governor_jacobian(const double* y, double damping, double* matrix) { jacobian_of<Governor>(y, damping, matrix); }
void governor_end(const double* y, double* numbers) { Governor::end_of(y, numbers); }

}  // extern "C"
