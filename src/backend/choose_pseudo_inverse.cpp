#include "backend/backends.hpp"
#include "backend/default_member.hpp"

namespace kalaba {
namespace {

/// Returns the rank of A at the start of a member with default parameters, computed by the reference.
double rank_at_start(const System& system, Options options) {
  options.method.pseudo_inverse = PseudoInverse::svd;
  options.precision = Precision::double_precision;  // the only precision of the reference
  options.fields = {Field::rank};
  options.watch.count = 0;
  options.threads = 1;
  Block block = default_member(system.info);
  const auto runner = system.reference(options);
  runner->start(block, options.time.start, options.project_start);
  Observation seen;
  runner->observe(block, options.time.start, options.fields, seen);
  return seen.values[static_cast<std::size_t>(Field::rank)][0];
}

}  // namespace

PseudoInverse choose_pseudo_inverse(const System& system, const Options& options) {
  if (options.method.pseudo_inverse != PseudoInverse::automatic) return options.method.pseudo_inverse;
  const SystemInfo& info = system.info;
  if (options.backend == Backend::reference) return PseudoInverse::svd;
  // A servo-constraint requires the SVD: its matrix has no known zeros.
  if (info.constraints.size() < 2 || info.servo || info.agents > 0) return PseudoInverse::svd;
  // An SVD of 2 or 3 rows costs less than the checks of the equations that the direct method leaves out.
  const bool is_direct =
      info.constraints.size() >= 4 || rank_at_start(system, options) == static_cast<double>(info.constraints.size());
  return is_direct ? PseudoInverse::ldlt : PseudoInverse::svd;
}

}  // namespace kalaba
