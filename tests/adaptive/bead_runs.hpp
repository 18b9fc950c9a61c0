#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "adaptive/models.hpp"
#include "support/interpreted_system.hpp"

namespace kalaba::adaptive {

const System& beads();
const System& runaways();

struct Way {
  Backend backend = Backend::cpu;
  Integrator integrator = Integrator::dopri5;

  int order() const { return facts_of(integrator).order; }
};

inline Options adaptive_options(const System& system, const Way& way = {}, double tolerance = 1e-8) {
  Options options = test::interpreted_options(system);
  options.backend = way.backend;
  options.threads = 1;
  test::set_integrator(options, way.integrator);
  options.method.relative_tolerance = tolerance;
  options.method.absolute_tolerance = tolerance;
  options.fields = {Field::q, Field::w, Field::violation};
  return options;
}

/// Beads of different speeds, starting with number `first`; bead number i is identical in all such ensembles.
inline Ensemble bead_ensemble(long first, long count) {
  Ensemble ensemble(beads(), count);
  for (long i = 0; i < count; ++i) {
    ensemble.parameter("omega")[static_cast<std::size_t>(i)] = 1 + 0.37 * static_cast<double>((first + i) % 29);
  }
  ensemble.restart();
  return ensemble;
}

inline constexpr const char* state[] = {"x", "y", "x_dot", "y_dot"};

/// Maximum error of a single bead over the frames from `first` on.
inline double error_of(const Result& result, std::size_t first = 0) {
  double error = 0;
  for (std::size_t frame = first; frame < result.times().size(); ++frame) {
    const double p[] = {1.0};
    double exact[4];
    double* const q = exact;
    double* const w = exact + 2;
    Bead::closed_form(p, result.times()[frame], q, w);
    for (int i = 0; i < 4; ++i) error = std::max(error, std::abs(result.values(state[i], frame)[0] - exact[i]));
  }
  return error;
}

inline std::vector<std::uint64_t> bits(const Result& result, std::size_t frame, std::size_t member) {
  std::vector<std::uint64_t> all;
  for (const char* name : state) all.push_back(std::bit_cast<std::uint64_t>(result.values(name, frame)[member]));
  return all;
}

/// Sink that stores the numbers of steps of every member.
class Steps final : public Sink {
 public:
  std::vector<double> accepted, rejected;
  void begin(const RunInfo&) override {}
  void write(const Frame&) override {}
  void end_block(const Block& block) override {
    accepted.insert(accepted.end(), block.accepted.begin(), block.accepted.begin() + block.members);
    rejected.insert(rejected.end(), block.rejected.begin(), block.rejected.begin() + block.members);
  }
  void finish(const Summary&) override {}
};
inline Steps steps_of(const Ensemble& ensemble, const Options& options) {
  Steps steps;
  Sink* const sinks[] = {&steps};
  run(ensemble.system(), ensemble, options, sinks);
  return steps;
}

}  // namespace kalaba::adaptive
