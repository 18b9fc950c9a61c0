#include "backend/host_matrices.hpp"

namespace kalaba {

void factorize_on_host(const MatrixTask<float>& task, const OnHost& host) { factorize_in_packs(task, host.threads); }

}  // namespace kalaba
