#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include <span>
#include <string>
#include <vector>
#include "backend/backends.hpp"
#include "backend/kernel_resources.hpp"
#include "bench/measure.hpp"
#include "cli/command.hpp"
#include "cli/named_systems.hpp"
#include "scenario/model/text_system.hpp"
#include "scenario/scenario.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

/// Limits of the arithmetic throughput of a GPU, from its data sheet.
struct GpuRates {
  const char* name;
  const char* architecture;
  int multiprocessors;
  int issued;    ///< instructions of threads, per multiprocessor and clock
  int fp64;      ///< in double precision, likewise
  double clock;  ///< Hz, maximum
};

// NVIDIA's data sheets and tuning guides: A100 (SXM), H100 (SXM), H200 (SXM), L40S.
std::span<const GpuRates> known_gpus() {
  static constexpr GpuRates gpus[] = {{"h200", "sm_90", 132, 128, 64, 1.98e9},
                                      {"h100", "sm_90", 132, 128, 64, 1.98e9},
                                      {"a100", "sm_80", 108, 128, 32, 1.41e9},
                                      {"l40s", "sm_89", 142, 128, 2, 2.52e9}};
  return gpus;
}

/// Upper bound of the members' steps per second of a GPU for these instructions, without any latency; 0 if the least
/// number of instructions of a step is not known.
double most_steps_per_second(const KernelResources& advance, const GpuRates& gpu) {
  if (advance.step_instructions == 0) return 0;
  const double clocks = std::max(static_cast<double>(advance.step_instructions) / gpu.issued,
                                 static_cast<double>(advance.step_fp64) / gpu.fp64) *
                        advance.threads_per_member;
  return gpu.multiprocessors * gpu.clock / clocks;
}

struct DevicesRequest {
  std::vector<std::string> names;
  std::string architecture;
  std::string gpu = "h200";
  std::string precision = "double";
  std::string pseudo_inverse = "svd";
  int threads_per_member = 0;
  bool with_resources = false;
};

ExitCode list_devices() {
  constexpr int every_core = 0;
  const std::string cuda = cuda_available() ? cuda_device_text() : "cuda: not here: " + cuda_unavailable_reason();
  for (const std::string& device : {cpu_device_text(every_core), reference_device_text(every_core), cuda}) {
    std::fputs((device + "\n").c_str(), stdout);
  }
  if (cuda_available()) {
    std::fputs(("kernels on cuda: " + cuda_kernels_text() + "\n").c_str(), stdout);
    std::fputs(
        ("statistics on cuda: " + cuda_statistics_text() + "; histograms, correlations and groups: on the host\n")
            .c_str(),
        stdout);
  }
  return ExitCode::ok;
}

/// Names of the pseudo-inverses with kernels, by number.
std::vector<std::string> inverse_names() {
  std::vector<std::string> names = names_of(pseudo_inverses);
  names.pop_back();  // automatic
  return names;
}

Options options_of(const DevicesRequest& request, const System& system) {
  Options options = default_options(system);
  if (request.precision == "single") options.precision = Precision::single_precision;
  const std::vector<std::string> names = inverse_names();
  options.method.pseudo_inverse =
      static_cast<PseudoInverse>(std::ranges::find(names, request.pseudo_inverse) - names.begin());
  options.threads_per_member = request.threads_per_member;
  return options;
}

const GpuRates& gpu_of(const DevicesRequest& request) {
  return *std::ranges::find(known_gpus(), std::string_view(request.gpu), &GpuRates::name);
}

/// Returns the named systems of the catalogue and of files; without names, the whole catalogue.
std::vector<std::shared_ptr<const System>> systems_of(const DevicesRequest& request) {
  std::vector<std::shared_ptr<const System>> systems;
  std::vector<std::string> names;
  for (const std::string& name : request.names) {
    if (names_a_file(name)) {
      systems.push_back(load_scenario(name, {}).system);
    } else {
      names.push_back(name);
    }
  }
  if (!systems.empty() && names.empty()) return systems;
  for (const System* each : systems_named_or_all(names)) systems.emplace_back(std::shared_ptr<const System>(), each);
  return systems;
}

/// "104 G", "7.6 M".
std::string rate_text(double rate) {
  if (rate == 0) return "-";
  return rate >= 1e9 ? fmt::format("{:.3g} G", rate / 1e9) : fmt::format("{:.3g} M", rate / 1e6);
}

/// Prints one line per kernel as soon as its system is compiled: some take a minute.
ExitCode show_resources(const DevicesRequest& request) {
  constexpr auto line = "{:<34} {:<8} {:>7} {:>9} {:>6} {:>7} {:>12} {:>6} {:>6} {:>6} {:>6} {:>6} {:>8}\n";
  const std::vector<std::shared_ptr<const System>> systems = systems_of(request);
  const GpuRates& gpu = gpu_of(request);
  const std::string architecture = request.architecture.empty() ? gpu.architecture : request.architecture;
  std::fputs(fmt::format("Kernels {}; for {}, not run. fp64: instructions in double precision; local: loads and stores "
                         "of\nlocal memory and through generic addresses; step: what a thread executes at least in a "
                         "step, then fp64 and\nlocal of that; steps/s: what {} cannot exceed with that.\n\n",
                         cuda_kernels_text(), architecture, gpu.name)
                 .c_str(),
             stdout);
  std::fputs(fmt::format(line, "system", "kernel", "threads", "registers", "stack", "spilled", "instructions", "fp64",
                         "local", "step", "fp64", "local", "steps/s")
                 .c_str(),
             stdout);
  for (const std::shared_ptr<const System>& system : systems) {
    for (const KernelResources& each : kernel_resources(*system, options_of(request, *system), architecture)) {
      const std::string kernel = each.kernel.substr(each.kernel.find('_') + 1);
      const bool steps = each.step_instructions > 0;
      std::fputs(fmt::format(line, bench::label(system->info), kernel, each.threads_per_member, each.registers,
                             each.stack_bytes, each.spilled_bytes, each.instructions, each.fp64, each.local,
                             steps ? std::to_string(each.step_instructions) : "-",
                             steps ? std::to_string(each.step_fp64) : "-",
                             steps ? std::to_string(each.step_local) : "-", rate_text(most_steps_per_second(each, gpu)))
                     .c_str(),
                 stdout);
      std::fflush(stdout);
    }
  }
  return ExitCode::ok;
}

}  // namespace

Command add_devices_command(const CommandWords& app) {
  const CommandWords words =
      app.add_command("devices", "Show the backends and what they run on, or what CUDA kernels need");
  const auto request = std::make_shared<DevicesRequest>();
  const Option resources = words.add_flag("--resources", request->with_resources,
                                          "Compile the systems' CUDA kernels (no GPU needed) and show registers, "
                                          "stack and spills (bytes a thread), instructions, and what "
                                          "they bound a GPU's steps to");
  words
      .add_option("NAME", request->names,
                  "Systems of the catalogue (all of them where left out), or models and scenarios (.toml)")
      .type_name("")
      .needs(resources);
  words
      .add_option("--arch", request->architecture, "GPU architecture: sm_80, sm_90, ... (that of --gpu where left out)")
      .type_name("SM")
      .needs(resources);
  words
      .add_option("--gpu", request->gpu,
                  fmt::format("{} (default {})", fmt::join(names_of(known_gpus()), ", "), request->gpu))
      .one_of(names_of(known_gpus()))
      .type_name("NAME")
      .needs(resources);
  words.add_option("--precision", request->precision, "double or single")
      .one_of({"double", "single"})
      .type_name("P")
      .needs(resources);
  words.add_option("--pseudo-inverse", request->pseudo_inverse, fmt::format("{}", fmt::join(inverse_names(), ", ")))
      .one_of(inverse_names())
      .type_name("W")
      .needs(resources);
  words.add_option("--threads-per-member", request->threads_per_member, "1, 4, 8, 16 or 32; 0: as a GPU would first")
      .one_of({"0", "1", "4", "8", "16", "32"})
      .type_name("N")
      .needs(resources);
  words.footer("Example:\n  kalaba devices\n  kalaba devices --resources two_particles_incline --gpu a100");
  return {words, [request] { return request->with_resources ? show_resources(*request) : list_devices(); }};
}

}  // namespace kalaba
