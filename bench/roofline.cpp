#include "roofline.hpp"

#include <fmt/format.h>

#include <vector>

#include "bench/measure.hpp"
#include "bench/operations.hpp"
#include "cli/bench_table.hpp"
#include "cli/table.hpp"
#include "compare.hpp"

namespace kalaba::bench {
namespace {

using Cells = std::vector<std::string>;

/// Number of AVX-512 instructions of a pack for a division or a root: Newton steps from 14 bits.
constexpr double issues_of_division = 8;
/// Number of vector instructions that a core issues for these operations; a sine counts as about twenty.
double issues(const Operations& operations) {
  return operations.additions + operations.multiplications + operations.fused + operations.choices +
         issues_of_division * (operations.divisions + operations.roots) + 20 * operations.functions;
}

/// Rate of the cpu backend on one thread: median of five.
double rate_of(const System& system, const Method& method) {
  const Problem problem = {label(system.info), system, 128, 64, method, [](Ensemble&) {}};
  KalabaContender kalaba(problem, Backend::cpu, problem.members);
  std::vector<double> rates;
  for (int repeat = 0; repeat < 5; ++repeat) rates.push_back(timed_rate(problem, kalaba));
  return median(rates);
}

Cells row_of(const System& system, const Method& method, double peak) {
  const bool projects = method.stabilization.kind == Stabilization::Kind::projection;
  Cells cells = {label(system.info), std::string(pseudo_inverse_name(method.pseudo_inverse)),
                 projects ? "projection" : "none"};
  Options options = default_options(system);
  options.method = method;
  const auto count = operations_of_step(system, options);
  if (!count) {
    cells.emplace_back("not counted");
    return cells;
  }
  for (const double each : {count->additions, count->multiplications, count->fused, count->divisions, count->roots,
                            count->choices, count->functions, count->flops()}) {
    cells.push_back(fmt::format("{:.0f}", each));
  }
  const double rate = rate_of(system, method);
  cells.push_back(with_prefix(rate));
  cells.push_back(with_prefix(count->flops() * rate));
  cells.push_back(fmt::format("{:.0f} %", 100 * count->flops() * rate / peak));
  cells.push_back(fmt::format("{:.0f} %", 100 * issues(*count) * rate / (peak / 2)));
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
