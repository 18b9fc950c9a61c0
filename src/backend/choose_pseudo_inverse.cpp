#include "backend/backends.hpp"

namespace kalaba {

PseudoInverse choose_pseudo_inverse(const System& system, const Options& options) {
  if (options.method.pseudo_inverse != PseudoInverse::automatic) return options.method.pseudo_inverse;
  const SystemInfo& info = system.info;
  if (options.backend == Backend::reference) return PseudoInverse::svd;
  // A servo-constraint requires the SVD: its matrix has no known zeros.
  if (info.constraints.size() < 2 || info.servo || info.agents > 0) return PseudoInverse::svd;
  return PseudoInverse::ldlt;
}

}  // namespace kalaba
