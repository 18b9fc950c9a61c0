// The run-time compiler reads the core, the models and the kernel as they stand, without a standard library.

#include <gtest/gtest.h>
#include <nvrtc.h>

#include <fstream>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace {

struct CatalogueModel {
  const char* type;
  const char* header;
};

std::string read_kernel() {
  std::ifstream file(KALABA_SOURCE_DIR "/tests/cuda/core_kernel.cu");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Compiles the kernel to a cubin; returns its size, and the compiler's log on failure.
std::pair<std::size_t, std::string> compile(const std::vector<std::string>& options) {
  nvrtcProgram program = nullptr;
  const std::string source = read_kernel();
  if (nvrtcCreateProgram(&program, source.c_str(), "core_kernel.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS) {
    return {0, "nvrtcCreateProgram failed"};
  }
  std::vector<const char*> words;
  for (const auto& option : options) words.push_back(option.c_str());
  const nvrtcResult result = nvrtcCompileProgram(program, static_cast<int>(words.size()), words.data());
  std::size_t size = 0;
  std::string log;
  if (result == NVRTC_SUCCESS) {
    nvrtcGetCUBINSize(program, &size);
  } else {
    std::size_t length = 0;
    nvrtcGetProgramLogSize(program, &length);
    log.resize(length);
    nvrtcGetProgramLog(program, log.data());
  }
  nvrtcDestroyProgram(&program);
  return {size, log};
}

using Case = std::tuple<CatalogueModel, const char*, const char*>;
class CoreUnderNvrtc : public testing::TestWithParam<Case> {};

TEST_P(CoreUnderNvrtc, Compiles) {
  const auto& [model, real, inverse] = GetParam();
  const auto [size, log] = compile({"--std=c++20", "--gpu-architecture=sm_90", "-I" KALABA_SOURCE_DIR "/include",
                                    "-I" KALABA_SOURCE_DIR "/kernels", std::string("-DMODEL=") + model.type,
                                    std::string("-DHEADER=\"kalaba/systems/") + model.header + ".hpp\"",
                                    std::string("-DREAL=") + real, std::string("-DINVERSE=") + inverse});
  EXPECT_GT(size, 0U) << log;
}

/// The first size of every system of the catalogue.
const std::vector<CatalogueModel>& models() {
  static const std::vector<CatalogueModel> all = {
#include "models.inc"
  };
  return all;
}

// Every model in one combination (single precision finds literals that narrow), a few in all.
INSTANTIATE_TEST_SUITE_P(Catalogue, CoreUnderNvrtc,
                         testing::Combine(testing::ValuesIn(models()), testing::Values("float"),
                                          testing::Values("PivotedQr")));
INSTANTIATE_TEST_SUITE_P(Combinations, CoreUnderNvrtc,
                         testing::Combine(testing::Values(CatalogueModel{"SphericalPendulum", "spherical_pendulum"},
                                                          CatalogueModel{"TwoParticlesIncline",
                                                                         "two_particles_incline"},
                                                          CatalogueModel{"BalancedRod", "balanced_rod"}),
                                          testing::Values("double"), testing::Values("JacobiSvd", "PivotedQr")));

}  // namespace
