#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "backend/reference/rate.hpp"
#include "backend/reference/reference.hpp"
#include "simulation.hpp"
#include "support/affordable_code.hpp"

// Cases of the conformance tests: every system of the catalogue on every backend that supports it.

namespace kalaba::conformance {

struct Case {
  const System* system = nullptr;
  Backend backend = Backend::reference;
  Compile compile = Compile::automatic;
};

inline std::string system_label(const System& system) {
  std::string label = system.info.name;
  for (const auto& [key, value] : system.info.structure) label += "_" + key + std::to_string(value);
  return label;
}

inline std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << system_label(*c.system) << "_" << backend_name(c.backend);
}

inline bool any_system(const System&) { return true; }

/// The system's default options, on this backend.
inline Options options_for(const Case& c) {
  Options options = default_options(*c.system);
  options.backend = c.backend;
  options.compile = c.compile;
  options.threads = 1;
  return test::with_affordable_code(*c.system, options);
}

/// All backends of all systems that satisfy the predicate.
inline std::vector<Case> all_cases(bool (*wanted)(const System&) = any_system) {
  std::vector<Case> cases;
  for (const System& system : catalogue()) {
    if (!wanted(system)) continue;
    if (system.reference != nullptr) cases.push_back({&system, Backend::reference});
    Options on_cpu = default_options(system);
    on_cpu.backend = Backend::cpu;
    if (test::is_affordable(system, on_cpu)) cases.push_back({&system, Backend::cpu});
    if (cuda_available()) cases.push_back({&system, Backend::cuda});
  }
  return cases;
}

/// Number of steps, at most the requested number and within the system's time span; the reference, whose cost grows as
/// n^3, takes fewer for a large system.
inline long steps_within(const Case& c, const Options& options, long wanted) {
  const auto extent = static_cast<long>(std::max(c.system->info.rates.size(), c.system->info.constraints.size()));
  constexpr long unlimited = 16 * 16 * 16;
  if (c.backend == Backend::reference)
    wanted = std::max(4L, wanted * unlimited / std::max(unlimited, extent * extent * extent));
  return std::min(wanted, options.time.steps());
}

/// Returns true if a test can afford the thousands of steps of a convergence study. Smaller sizes of a system cover the
/// others.
inline bool convergence_affordable(const Case& c) {
  const std::size_t extent = c.system->info.rates.size() + c.system->info.constraints.size();
  return extent <= (c.backend == Backend::reference ? 24 : 48);
}

/// Changes every member except the first from the default parameters and start, each differently.
inline void spread(Block& block) {
  const auto shift = [](std::span<double> row, double size, bool relative, int variable) {
    for (std::size_t member = 1; member < row.size(); ++member) {
      const double change = size * std::sin(1.0 + 2.3 * static_cast<double>(member) + 1.7 * variable);
      row[member] += relative ? row[member] * change : change;
    }
  };
  for (int i = 0; i < block.parameter_count; ++i) shift(block.parameter(i), 0.02, true, i);
  for (int i = 0; i < block.coordinate_count; ++i) shift(block.coordinate(i), 0.01, false, i);
  for (int i = 0; i < block.rate_count; ++i) shift(block.rate(i), 0.02, false, i + 1);
}

/// Started members, spread about the default one; projected on the constraints if the system's own runs are.
inline Simulation started(const System& system, const Options& options, long members) {
  Simulation simulation = simulate(system, options, members);
  spread(simulation.block);
  simulation.start(options.project_start);
  return simulation;
}

/// Terms of a system from the reference backend.
class Oracle {
 public:
  explicit Oracle(const System& system, const Method& method = {}) : method_(method) {
    Options options = default_options(system);
    runner_ = system.reference(options);
    model_ = &dynamic_cast<const reference::ReferenceRunner&>(*runner_).model();
  }

  const reference::MechanicalModel& model() const { return *model_; }
  reference::Rate rate(const Instant& x) const { return reference::evaluate_rate(*model_, method_, x); }

 private:
  Method method_;
  std::unique_ptr<Runner> runner_;
  const reference::MechanicalModel* model_ = nullptr;
};

}  // namespace kalaba::conformance
