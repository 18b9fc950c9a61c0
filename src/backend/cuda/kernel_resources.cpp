#include "backend/kernel_resources.hpp"

#include <cstdio>
#include <sstream>

#include "backend/cuda/compiler.hpp"
#include "backend/cuda/kernel_source.hpp"
#include "backend/cuda/machine_code.hpp"
#include "backend/cuda/swarm_program.hpp"
#include "backend/cuda/time_loop.hpp"

namespace kalaba {
namespace {

using cuda::InstructionCounts;
using cuda::MachineInstruction;

/// A step of RK4 divides once per row in each of its four stages, for every pseudo-inverse.
int least_divisions(const System& system, const Options& options) {
  return options.method.integrator == Integrator::rk4 ? 4 * static_cast<int>(system.info.constraints.size()) : 0;
}

void count_code(const std::vector<char>& cubin, const std::string& architecture, int divisions,
                KernelResources& kernel) {
  const std::vector<MachineInstruction> code = cuda::kernel_code(cubin, kernel.kernel);
  const InstructionCounts all = cuda::count(code);
  kernel.instructions = all.all;
  kernel.fp64 = all.fp64;
  kernel.local = all.local;
  if (kernel.kernel != "kalaba_advance" || divisions == 0) return;
  const InstructionCounts step = cuda::least_turn(code, architecture, divisions).value_or(InstructionCounts{});
  kernel.step_instructions = step.all;
  kernel.step_fp64 = step.fp64;
  kernel.step_local = step.local;
}

/// Reads the assembler's report (ptxas --verbose) and the sizes of a cubin's code.
std::vector<KernelResources> read_resources(const cuda::Compiled& compiled, const std::string& architecture,
                                            int divisions) {
  std::vector<KernelResources> kernels;
  bool is_kernel = false;  // the following properties are those of the kernel, not of a function that it calls
  std::istringstream lines(compiled.log);
  for (std::string line; std::getline(lines, line);) {
    char name[256];
    int stack = 0;
    int stored = 0;
    int loaded = 0;
    if (std::sscanf(line.c_str(), "ptxas info    : Compiling entry function '%255[^']'", name) == 1) {
      kernels.push_back({.kernel = name});
      count_code(compiled.cubin, architecture, divisions, kernels.back());
    }
    if (kernels.empty()) continue;
    if (std::sscanf(line.c_str(), "ptxas info    : Function properties for %255s", name) == 1) {
      is_kernel = name == kernels.back().kernel;
    }
    if (const auto at = line.find(" bytes stack frame"); at != std::string::npos) {
      const std::size_t digits = line.find_first_of("0123456789");
      std::sscanf(line.c_str() + digits, "%d bytes stack frame, %d bytes spill stores, %d bytes spill loads", &stack,
                  &stored, &loaded);
      kernels.back().spilled_bytes += stored + loaded;
      if (is_kernel) kernels.back().stack_bytes = stack;
    }
    if (const auto at = line.find(": Used "); at != std::string::npos) {
      std::sscanf(line.c_str() + at, ": Used %d registers", &kernels.back().registers);
    }
  }
  return kernels;
}

/// Resources of the kernels with one thread (workers = 1) or a tile per member; kalaba_advance first.
std::vector<KernelResources> compiled_resources(const System& system, const Options& options,
                                                const std::string& architecture, int workers) {
  const FieldSet fields = options.fields | FieldSet{Field::residual, Field::violation};
  std::vector<std::string> words = cuda::compiler_options(architecture);
  words.emplace_back("--ptxas-options=--verbose");
  std::vector<KernelResources> all;
  std::vector<std::string> texts = {cuda::motion_source(system.device_code, options, workers),
                                    cuda::observation_source(system.device_code, options, workers, fields)};
  if (options.method.pseudo_inverse == PseudoInverse::cusolver && !system.info.constraints.empty()) {
    texts.push_back(cuda::pipeline_source(system.device_code, options, workers));
  }
  for (const std::string& text : texts) {
    const cuda::Compiled compiled = cuda::compile_with_log({system.info.name, text, words});
    for (KernelResources& kernel : read_resources(compiled, architecture, least_divisions(system, options))) {
      kernel.threads_per_member = workers;
      all.push_back(std::move(kernel));
    }
  }
  return all;
}

/// Resources of the kernels of a swarm, for a device whose blocks have enough shared memory for it.
std::vector<KernelResources> swarm_resources(const System& system, const Options& options,
                                             const std::string& architecture) {
  const bool a_block_each = system.info.agents <= cuda::most_agents_of_a_block;
  const cuda::SwarmProgram program = cuda::swarm_program(system, options.precision, a_block_each);
  std::vector<std::string> words = program.options(architecture);
  words.emplace_back("--ptxas-options=--verbose");
  const cuda::Compiled compiled = cuda::compile_with_log({program.name(), program.text(), words});
  return read_resources(compiled, architecture, 0);
}

}  // namespace

std::vector<KernelResources> kernel_resources(const System& system, const Options& options,
                                              const std::string& architecture) {
  if (system.info.agents > 0) return swarm_resources(system, options, architecture);
  if (cuda::needs_one_thread(options)) return compiled_resources(system, options, architecture, 1);
  if (options.threads_per_member == 0) {
    const int first_choice = cuda::first_choice_of_threads(system.info);
    auto kernels = compiled_resources(system, options, architecture, first_choice);
    if (first_choice > 1 || kernels.front().stack_bytes <= cuda::most_local_bytes) return kernels;
    return compiled_resources(system, options, architecture, cuda::tile_for(system.info));
  }
  return compiled_resources(system, options, architecture, options.threads_per_member);
}

}  // namespace kalaba
