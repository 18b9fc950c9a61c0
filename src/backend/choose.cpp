#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "backend/backends.hpp"
#include "backend/compiled/compiled_runner.hpp"
#include "backend/device_code.hpp"
#include "backend/interpreted/interpreted_runner.hpp"
#include "backend/pack_mathematics.hpp"
#include "kalaba/backend/parallel.hpp"
#include "kalaba/check_options.hpp"
#include "kalaba/error.hpp"
#include "kalaba/event.hpp"

namespace kalaba {

namespace {

std::string threads_text(int threads) {
  const int count = thread_count(threads);
  return std::to_string(count) + (count == 1 ? " thread" : " threads");
}

}  // namespace

std::string cpu_device_text(int threads) {
  const PackLevel& level = pack_level();
  return "cpu: " + threads_text(threads) + ", " + std::to_string(level.lanes) + " lanes (" + level.name + ")";
}

std::string reference_device_text(int threads) { return "reference: " + threads_text(threads) + ", Eigen"; }

namespace {

/// Throws if an option that only a GPU supports is set for another backend.
void refuse_gpu_options(const System& system, const Options& options, Backend backend) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ExitCode::bad_input, system.info.name + ": " + what +
                                         " is for the backend \"cuda\", and this run is on \"" +
                                         std::string(backend_name(backend)) + "\"");
  };
  if (options.method.pseudo_inverse == PseudoInverse::cusolver) {
    refuse("pseudo_inverse = \"cusolver\" (unlike " + core_pseudo_inverses() + ")");
  }
  if (options.backend == Backend::automatic) return;  // the remaining options apply if `auto` chooses a GPU
  if (!options.devices.empty()) refuse("devices");
  if (options.threads_per_member != 0) refuse("threads_per_member");
}

/// Throws for swarms, which the reference (Eigen) does not support.
void refuse_swarm(const SystemInfo& info) {
  if (info.agents == 0) return;
  throw Error(
      ExitCode::no_backend,
      "swarm: a swarm runs on the backends \"cpu\" and \"cuda\"; \"reference\" runs swarm_matrix, 2, 3, 5 or 10 "
      "agents of the paper's law in the plane");
}

/// Reason why the CPU is better for a swarm than a GPU, which sums all pairs; empty if the GPU is better.
std::string swarm_for_cpu(const System& system, const Options& options) {
  if (system.info.agents == 0) return "";
  if (system.device_code.type.empty()) return "its law, or what holds its agents, was compiled for the CPU alone";
  if (options.pair_sum == PairSum::all_pairs) return "";
  if (options.pair_sum != PairSum::automatic) {
    return "a GPU sums all pairs, and pair_sum = \"" + std::string(pair_sum_name(options.pair_sum)) + "\"";
  }
  const bool cut = std::ranges::any_of(system.info.parameters, [](const Variable& p) { return p.name == "cutoff"; });
  const long most = cut ? 50'000 : 1'000'000;  // estimated: a GPU has not been measured
  if (system.info.agents <= most || options.precision == Precision::single_precision) return "";
  return "beyond " + std::to_string(most) + " agents its methods of O(N) outdo all pairs on a GPU";
}

/// Returns true if the model is to be compiled for this run.
bool compiles(const System& system, const Options& options) {
  if (system.device_code.type.empty() || system.info.agents > 0) return false;
  const IntegratorFacts& facts = facts_of(options.method.integrator);
  const bool only_compiled = facts.uses_series || facts.uses_slopes;  // on packs
  return options.compile == Compile::always ||
         (options.compile == Compile::automatic && (only_compiled || !system.cpu));
}

/// Throws for runs whose integrator needs the series of a model's formulas: these are compiled.
void refuse_series(const System& system, const Options& options, const std::string& why) {
  if (!facts_of(options.method.integrator).uses_series) return;
  throw Error(ExitCode::no_backend, system.info.name + ": solver.integrator = \"" +
                                        std::string(integrator_name(options.method.integrator)) + "\" " + why +
                                        "; use \"dop853\"");
}

/// Returns why the reference does not support a run; empty if it does.
std::string fault_of_reference(const System& system, Options options) {
  options.backend = Backend::reference;
  return fault_of_changes(system.info, options);
}

/// Returns the interpreter on packs, or the reference if the packs cannot interpret the model.
ChosenBackend interpreted_backend(const System& system, const Options& options, const std::string& note,
                                  const std::string& why) {
  std::string problem;
  if (auto runner = interpreted_runner(system, options, problem)) {
    ChosenBackend chosen = {std::move(runner), Backend::cpu, cpu_device_text(options.threads), note,
                            why + "; interpreted on packs"};
    chosen.interpreted = true;
    return chosen;
  }
  if (options.precision == Precision::single_precision) {
    throw Error(ExitCode::no_backend, why +
                                          "; interpreted models are in double precision: expected solver.precision = "
                                          "\"double\", found \"single\"");
  }
  if (const std::string fault = fault_of_reference(system, options); !fault.empty()) {
    throw Error(ExitCode::no_backend,
                why + "; the reference would interpret it, because " + problem + ", but " + fault);
  }
  return {system.reference(options), Backend::reference, reference_device_text(options.threads), note,
          why + "; interpreted by the reference, because " + problem};
}

/// Throws if the user requires compiled code (solver.compile = "always") and the model was not compiled.
void refuse_uncompiled(const System& system, const Options& options, const CompileReport& report) {
  if (options.compile != Compile::always || system.info.agents > 0) return;  // swarms are compiled with the program
  throw Error(ExitCode::no_backend,
              report.text(system.info.name) + "; solver.compile = \"always\" takes no other code, \"auto\" does");
}

/// Operations of a stage up to which a model is compiled where the choice is free. Packs interpret a longer one about
/// as fast. The reference is slow, so that it serves only where a compiler would not end in time.
constexpr int most_operations_before_packs = 20'000;
constexpr int most_operations_before_reference = 40'000;

/// Estimates the time of a run of so many members by optimised code, coarsely. Infinite if `members` is 0.
double estimated_seconds(const System& system, const Options& options, long members) {
  constexpr double seconds_of_pack = 1e-9;     // an operation of a pack of members
  constexpr double overhead = 200;             // operations of a stage beside the model's and the pseudo-inverse's
  constexpr double steps_per_grid_step = 0.2;  // of adaptive integrators
  if (members == 0) return std::numeric_limits<double>::infinity();
  const IntegratorFacts& integrator = facts_of(options.method.integrator);
  const auto rows = static_cast<double>(system.info.constraints.size());
  const auto rates = static_cast<double>(system.info.rates.size());
  const double operations = system.device_code.operations + overhead + 20 * rows * (rates + rows);
  const double packs = std::ceil(static_cast<double>(members) / pack_level().lanes);
  const double steps = static_cast<double>(options.time.steps()) * (integrator.adapts() ? steps_per_grid_step : 1);
  return std::max(packs / thread_count(options.threads), 1.0) * steps * integrator.stages * operations *
         seconds_of_pack;
}

/// Returns the code that was compiled for this run or in advance, and else an interpreter.
ChosenBackend cpu_backend(const System& system, const Options& options, long members, const std::string& note) {
  refuse_gpu_options(system, options, Backend::cpu);
  const std::string device = cpu_device_text(options.threads);
  CompileReport report;
  report.problem = system.device_code.type.empty() ? "its model has no formulas as text" : "solver.compile = \"never\"";
  const bool tries = compiles(system, options);
  if (tries) {
    const bool is_free = options.compile == Compile::automatic;
    const bool is_needed = !is_free || !fault_of_reference(system, options).empty();
    const bool in_packs = is_free && may_be_interpreted(system, options);
    const int most = in_packs    ? most_operations_before_packs
                     : is_needed ? std::numeric_limits<int>::max()
                                 : most_operations_before_reference;
    try {
      if (auto runner = compile_runner(system, options, report, {most, estimated_seconds(system, options, members)})) {
        return {std::move(runner), Backend::cpu, device, note, report.text(system.info.name)};
      }
    } catch (const TooManyOperations& error) {
      if (!is_free) throw;
      report.problem = error.what();
    }
  }
  refuse_uncompiled(system, options, report);
  const std::string why = report.text(system.info.name);
  refuse_series(system, options, "needs compiled code (" + why + ")");
  if (system.cpu && !needs_slopes(options)) {
    return {system.cpu(options), Backend::cpu, device, note, tries ? why : ""};
  }
  return interpreted_backend(system, options, note, why);
}

/// Backend for options that only a GPU supports.
ChosenBackend gpu_backend(const System& system, const Options& options) {
  if (cuda_available()) return make_cuda_backend(system, options);
  throw Error(ExitCode::no_backend, system.info.name + ": pseudo_inverse = \"cusolver\" needs the backend \"cuda\": " +
                                        cuda_unavailable_reason() + "; use \"svd\" or \"qr\"");
}

}  // namespace

Options options_to_compile(const System& system, Options options) {
  options.watch = watch_of(options.events, system.info, options.clocks);
  if (options.backend == Backend::automatic) options.backend = Backend::cpu;
  options.method.pseudo_inverse = choose_pseudo_inverse(system, options);
  return as_compiled(system, options);
}

namespace {

ChosenBackend make_chosen(const System& system, const Options& options, long members) {
  const IntegratorFacts& integrator = facts_of(options.method.integrator);
  if (options.backend == Backend::reference) {
    refuse_series(system, options, "runs on the backends \"cpu\" and \"cuda\", not on \"reference\"");
  }
  if (options.backend == Backend::automatic && (integrator.uses_series || integrator.uses_slopes)) {
    return cpu_backend(system, options, members,
                       "backend auto: cpu, because \"" + std::string(integrator.name) +
                           "\" is not measured on GPUs yet; solver.backend = \"cuda\" runs it there");
  }
  switch (options.backend) {
    case Backend::reference:
      refuse_swarm(system.info);
      refuse_gpu_options(system, options, Backend::reference);
      return {system.reference(options), Backend::reference, reference_device_text(options.threads), ""};
    case Backend::cuda:
      return make_cuda_backend(system, options);
    case Backend::automatic:
      if (const std::string why = swarm_for_cpu(system, options); !why.empty())
        return cpu_backend(system, options, members, "backend auto: cpu, because " + why);
      if (may_change(options.events, options.clocks) || system.info.has_changes()) {
        const std::string what = !system.info.contacts.empty() ? "contacts are"
                                 : system.info.noise           ? "noise is"
                                                               : "events and clocks that change members are";
        return cpu_backend(system, options, members,
                           "backend auto: cpu, because " + what +
                               " not measured on GPUs yet; solver.backend = \"cuda\" runs them there");
      }
      if (options.method.pseudo_inverse == PseudoInverse::cusolver) return gpu_backend(system, options);
      if (!cuda_available())
        return cpu_backend(system, options, members, "backend auto: cpu, because " + cuda_unavailable_reason());
      if (const std::string why = cuda_reservation(system, options); !why.empty())
        return cpu_backend(system, options, members, "backend auto: cpu, because " + why);
      try {
        return make_cuda_backend(system, options);
      } catch (const Error& error) {  // the device exists but cannot be used
        if (error.code() != ExitCode::no_backend) throw;
        return cpu_backend(system, options, members, std::string("backend auto: cpu, because ") + error.what());
      }
    case Backend::cpu:
      break;
  }
  return cpu_backend(system, options, members, "");
}

}  // namespace

ChosenBackend choose_backend(const System& system, const Options& requested, long members) {
  Options options = requested;
  options.method.pseudo_inverse = choose_pseudo_inverse(system, requested);
  ChosenBackend chosen = make_chosen(system, options, members);
  // The reference has no direct method: it replaces "ldlt" by the SVD.
  const bool by_svd = chosen.backend == Backend::reference && options.method.pseudo_inverse == PseudoInverse::ldlt;
  chosen.pseudo_inverse = by_svd ? PseudoInverse::svd : options.method.pseudo_inverse;
  return chosen;
}

}  // namespace kalaba
