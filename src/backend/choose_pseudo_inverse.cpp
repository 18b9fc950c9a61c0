#include <algorithm>
#include <span>

#include "backend/backends.hpp"

namespace kalaba {
namespace {

void fill(std::span<double> row, const Variable& variable) { std::ranges::fill(row, variable.value); }

/// Of A where a member with default parameters starts, by the reference.
double rank_at_start(const System& system, Options options) {
  const SystemInfo& info = system.info;
  options.method.pseudo_inverse = PseudoInverse::svd;
  options.precision = Precision::double_precision;  // the reference's only one
  options.fields = {Field::rank};
  options.watch.count = 0;
  options.threads = 1;
  const auto count = [](const std::vector<Variable>& variables) { return static_cast<int>(variables.size()); };
  Block block(count(info.parameters), count(info.coordinates), count(info.rates), 1);
  block.assign(0, 1);
  for (int i = 0; i < count(info.parameters); ++i)
    fill(block.parameter(i), info.parameters[static_cast<std::size_t>(i)]);
  for (int i = 0; i < count(info.coordinates); ++i) {
    fill(block.coordinate(i), info.coordinates[static_cast<std::size_t>(i)]);
  }
  for (int i = 0; i < count(info.rates); ++i) fill(block.rate(i), info.rates[static_cast<std::size_t>(i)]);
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
  const bool on_cpu = options.backend == Backend::cpu || (options.backend == Backend::automatic && !cuda_available());
  // A servo-constraint keeps to the SVD: its matrix has no zeros that are known.
  if (!on_cpu || info.constraints.size() < 2 || info.servo || info.agents > 0) return PseudoInverse::svd;
  const bool independent = rank_at_start(system, options) == static_cast<double>(info.constraints.size());
  return independent ? PseudoInverse::ldlt : PseudoInverse::svd;
}

}  // namespace kalaba
