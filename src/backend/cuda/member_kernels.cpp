#include "backend/cuda/member_kernels.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "backend/cuda/cubin_cache.hpp"
#include "backend/cuda/driver.hpp"
#include "backend/cuda/kernel_source.hpp"
#include "backend/cuda/memory.hpp"
#include "backend/cuda/pipeline.hpp"

namespace kalaba::cuda {
namespace {

std::vector<char> compile_for(const Device& device, const std::string& name, const std::string& text) {
  return cached_or_compiled({name, text, compiler_options(device.info().architecture())});
}

/// Bytes of shared memory per member: 0 if one thread holds the member in registers.
std::size_t workspace_of(const Module& module, int workers) {
  return workers == 1 ? 0 : static_cast<std::size_t>(number_of(module, "kalaba_workspace"));
}

class RunTimeKernels final : public MemberKernels {
 public:
  RunTimeKernels(const System& system, const Options& options, std::shared_ptr<const Device> device, int workers)
      : info_(system.info),
        code_(system.device_code),
        options_(options),
        device_(std::move(device)),
        workers_(workers),
        motion_(compile_for(*device_, info_.name + " (motion)", motion_source(code_, options, workers))) {
    const std::size_t workspace = workspace_of(motion_, workers);
    start_ = shaped(motion_.function("kalaba_start"), workers, workspace, *device_);
    advance_ = shaped(motion_.function("kalaba_advance"), workers, workspace, *device_);
  }

  int workers() const override { return workers_; }
  const Kernel& start() override { return start_; }
  const Kernel& advance() override { return advance_; }
  const Kernel& observe(FieldSet fields) override {
    return observation(fields, observations_, observation_source, "kalaba_observe");
  }
  const Kernel& observe_between(FieldSet fields) override {
    return observation(fields, between_, between_source, "kalaba_observe_between");
  }
  std::unique_ptr<Advancer> advancer() override {
    if (options_.method.pseudo_inverse != PseudoInverse::cusolver || info_.constraints.empty()) return nullptr;
    const int state_rows = static_cast<int>(info_.coordinates.size() + info_.rates.size());
    return std::make_unique<Pipeline>(PipelineProgram{.name = info_.name + " (pipeline)",
                                                      .text = pipeline_source(code_, options_, workers_),
                                                      .workers = workers_,
                                                      .precision = options_.precision,
                                                      .projected_rows = projects(options_.method) ? state_rows : 0},
                                      *device_);
  }

 private:
  struct Observation {
    Module module;
    Kernel kernel;
  };
  using Observations = std::map<std::uint32_t, Observation>;  // by the fields

  template <class Source>
  const Kernel& observation(FieldSet fields, Observations& all, const Source& source, const char* function) {
    const auto known = all.find(fields.bits());
    if (known != all.end()) return known->second.kernel;
    Module module(compile_for(*device_, info_.name + " (observation)", source(code_, options_, workers_, fields)));
    const Kernel kernel = shaped(module.function(function), workers_, workspace_of(module, workers_), *device_);
    return all.emplace(fields.bits(), Observation{std::move(module), kernel}).first->second.kernel;
  }

  SystemInfo info_;
  DeviceCode code_;
  Options options_;
  std::shared_ptr<const Device> device_;
  int workers_;
  Module motion_;
  Kernel start_;
  Kernel advance_;
  Observations observations_;
  Observations between_;
};

}  // namespace

Resources resources(CUfunction function) {
  const auto ask = [&](CUfunction_attribute attribute) {
    int value = 0;
    check(driver().cuFuncGetAttribute(&value, attribute, function), "reading the resources of a kernel");
    return value;
  };
  return {ask(CU_FUNC_ATTRIBUTE_NUM_REGS), ask(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
          ask(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)};
}

Kernel shaped(CUfunction function, int workers, std::size_t workspace, const Device& device) {
  if (workers == 1) return {function, {1, block_threads}, 0};
  const auto fitting = static_cast<int>(device.info().shared_memory_per_block / workspace);
  if (fitting < 1) {
    throw Error(ExitCode::bad_input,
                "a member needs " + std::to_string(workspace) + " bytes of shared memory with threads_per_member = " +
                    std::to_string(workers) + ", and a block of " + device.info().name + " has " +
                    std::to_string(device.info().shared_memory_per_block) + "; use threads_per_member = 1");
  }
  const int members = std::min(fitting, block_threads / workers);
  const auto shared = static_cast<int>(workspace) * members;
  check(driver().cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared),
        "giving a kernel shared memory");
  return {function, {workers, members * workers}, static_cast<unsigned>(shared)};
}

std::unique_ptr<MemberKernels> kernels_at_run_time(const System& system, const Options& options,
                                                   const std::shared_ptr<const Device>& device) {
  const auto with = [&](int workers) { return std::make_unique<RunTimeKernels>(system, options, device, workers); };
  if (needs_one_thread(options)) return with(1);
  if (options.threads_per_member != 0) return with(options.threads_per_member);
  if (first_choice_of_threads(system.info) == 1) {
    auto alone = with(1);
    if (resources(alone->advance().function).local_bytes <= most_local_bytes) return alone;
  }
  try {
    return with(tile_for(system.info));
  } catch (const Error& error) {  // too large for shared memory
    if (error.code() != ExitCode::bad_input) throw;
    return with(1);
  }
}

}  // namespace kalaba::cuda
