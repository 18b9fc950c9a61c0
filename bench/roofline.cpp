#include "roofline.hpp"

#include <fmt/format.h>

#include <vector>

#include "bench/measure.hpp"
#include "bench/operations.hpp"
#include "bench/peak.hpp"
#include "cli/bench_table.hpp"
#include "cli/table.hpp"
#include "kalaba/ensemble.hpp"

namespace kalaba::bench {
namespace {

using Cells = std::vector<std::string>;

/// What the packs of AVX-512 issue for a division or a root: Newton steps from 14 bits.
constexpr double issues_of_division = 8;
/// Of the vector instructions that a core issues, what these operations take; a sine as some twenty.
double issues(const Operations& operations) {
  return operations.additions + operations.multiplications + operations.fused + operations.choices +
         issues_of_division * (operations.divisions + operations.roots) + 20 * operations.functions;
}

Measurement measure_one_thread(const System& system, const Method& method) {
  constexpr long members = 1024;
  const Ensemble ensemble(system, members);
  Options options = default_options(system);
  options.backend = Backend::cpu;
  options.threads = 1;
  options.method = method;
  options.time.save_every = options.time.steps();
  return measure({&system, &ensemble, options, members, 1.0});
}

Cells row_of(const System& system, const Method& method, double peak) {
  const auto count = operations_of_step(system, method);
  const Measurement measured = measure_one_thread(system, method);
  Cells cells = {label(system.info), std::string(pseudo_inverse_name(method.pseudo_inverse)),
                 method.stabilization.kind == Stabilization::Kind::none ? "none" : "projection"};
  if (!count || !measured.failure.empty()) {
    cells.push_back(measured.failure.empty() ? "not counted" : measured.failure);
    return cells;
  }
  for (const double each : {count->additions, count->multiplications, count->fused, count->divisions, count->roots,
                            count->choices, count->functions, count->flops()}) {
    cells.push_back(fmt::format("{:.0f}", each));
  }
  cells.push_back(with_prefix(measured.steps_per_second));
  cells.push_back(with_prefix(count->flops() * measured.steps_per_second));
  cells.push_back(fmt::format("{:.0f} %", 100 * count->flops() * measured.steps_per_second / peak));
  cells.push_back(fmt::format("{:.0f} %", 100 * issues(*count) * measured.steps_per_second / (peak / 2)));
  return cells;
}

}  // namespace

std::string roofline_text() {
  constexpr int one_thread = 1;
  const double peak = peak_flops(Precision::double_precision, one_thread);
  std::vector<Cells> table = {{"system", "method", "stabilization", "add", "mul", "fma", "div", "root", "choice",
                               "function", "flop/step", "steps/s", "flop/s", "of peak", "of issue"}};
  std::vector<const System*> systems;
  for (const char* name : {"spherical_pendulum", "two_particles_incline", "constrained_double_pendulum"}) {
    systems.push_back(&find_system(name));
  }
  for (const int links : {4, 8, 16}) systems.push_back(&find_system("chain", {{"links", links}}));
  for (const System* system : systems) {
    for (const PseudoInverse inverse : {PseudoInverse::svd, PseudoInverse::qr}) {
      for (const Stabilization stabilization : {Stabilization::none(), Stabilization::projection()}) {
        table.push_back(row_of(*system, {.pseudo_inverse = inverse, .stabilization = stabilization}, peak));
      }
    }
  }
  return table_text(table) + fmt::format("  peak of a core: {}flop/s, multiply-adds as two\n", with_prefix(peak));
}

}  // namespace kalaba::bench
