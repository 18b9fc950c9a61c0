#include "check/swarm.hpp"

#include <algorithm>
#include <cmath>

#include "check/default_run.hpp"
#include "check/deviation.hpp"
#include "check/judges.hpp"
#include "kalaba/ensemble.hpp"
#include "kalaba/swarm.hpp"

namespace kalaba::check {
namespace {

constexpr double tolerance = 1e-9;  // as for two backends of any other system
constexpr const char* axes[] = {"x", "y"};

/// "x3_dot": of an agent, in swarm_matrix.
std::string name_of(const char* axis, std::size_t agent, const char* after) {
  return axis + std::to_string(agent + 1) + after;
}

/// Runs the agents of the reference's run, from its start and with its parameters.
Result run_as(const DefaultRun& reference, const System& swarm, Backend backend) {
  Ensemble ensemble(swarm, 1);
  for (const Variable& each : reference.info().parameters) ensemble.parameter(each.name)[0] = each.value;
  for (const char* axis : axes) {
    for (const char* after : {"", "_dot"}) {
      const auto agents = ensemble.initial(std::string(axis) + after);
      for (std::size_t i = 0; i < agents.size(); ++i) agents[i] = reference.value(name_of(axis, i, after), 0);
    }
  }
  Options options = default_options(swarm);
  options.backend = backend;
  options.time = reference.time();
  options.project_start = false;
  options.threads = 1;
  return run(ensemble, options);
}

Deviation final_difference(const Result& found, const DefaultRun& reference) {
  Deviation worst;
  for (const char* axis : axes) {
    for (const char* after : {"", "_dot"}) {
      const auto agents = found.values(std::string(axis) + after, found.times().size() - 1);
      for (std::size_t i = 0; i < agents.size(); ++i) {
        const std::string name = name_of(axis, i, after);
        const double value = reference.value(name, reference.last());
        const double allowed = tolerance * std::max(1.0, std::abs(value));
        keep_worse(worst, {std::abs(agents[i] - value), allowed, name, reference.times()[reference.last()]});
      }
    }
  }
  return worst;
}

Verdict compare(const System& swarm, const DefaultRun& reference, Backend backend) {
  const Result found = run_as(reference, swarm, backend);
  Verdict verdict = not_run(swarm, {backend}, Kind::reference, "");
  const bool both_ok = found.status()[0] == Status::ok && reference.status() == Status::ok;
  const Deviation worst = both_ok ? final_difference(found, reference) : Deviation{std::nan(""), 0, "", 0};
  verdict.outcome = worst.error <= worst.tolerance ? Outcome::passed : Outcome::failed;
  verdict.error = worst.error;
  verdict.tolerance = worst.tolerance;
  verdict.detail = both_ok ? place(worst) : found.summary.first_failure();
  return verdict;
}

}  // namespace

Verdicts check_swarm(std::span<const Backend> backends) {
  Verdicts verdicts;
  for (const System& matrix : catalogue()) {
    if (matrix.info.name != find_system("swarm_matrix").info.name) continue;
    const System swarm = make_swarm(swarm_laws().front(), matrix.info.structure.at("agents"));
    const DefaultRun reference(matrix, {Backend::reference}, default_grid(matrix.info));
    for (const Backend backend : backends) {
      verdicts.push_back(backend == Backend::reference
                             ? not_run(swarm, {backend}, Kind::reference, "the reference has swarm_matrix in its place")
                             : compare(swarm, reference, backend));
    }
  }
  return verdicts;
}

}  // namespace kalaba::check
