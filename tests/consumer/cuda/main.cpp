#include <cstdio>
#include <kalaba/kalaba.hpp>
#include <kalaba/make_system.hpp>

#include "bead.hpp"

kalaba::System::CudaFactory bead_on_cuda();

int main() {
  kalaba::System system = kalaba::make_system<Bead>();
  system.cuda = bead_on_cuda();
  const kalaba::Ensemble ensemble(system, 1000);
  const kalaba::Result result = kalaba::run(ensemble, kalaba::default_options(system));  // on a GPU where there is one
  std::printf("%ld beads failed, on %s\n", result.summary.failed(), result.summary.device.c_str());
  return result.summary.failed() == 0 ? 0 : 1;
}
