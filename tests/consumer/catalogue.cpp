// A program that runs a system of the catalogue.
#include <cstdio>
#include <kalaba/kalaba.hpp>

int main() {
  const kalaba::System& system = kalaba::find_system("spherical_pendulum");
  kalaba::Ensemble ensemble(system, 10);
  ensemble.parameter("L")[9] = 1.5;
  kalaba::Options options = kalaba::default_options(system);
  options.backend = kalaba::Backend::cpu;
  const kalaba::Result result = kalaba::run(ensemble, options);
  std::printf("%ld of %ld members failed\n", result.summary.failed(), result.summary.members);
  return result.summary.failed() == 0 ? 0 : 1;
}
