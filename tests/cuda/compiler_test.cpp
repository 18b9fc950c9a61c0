#include "backend/cuda/compiler.hpp"

#include <gtest/gtest.h>

#include "cubin_help.hpp"
#include "support/error_of.hpp"
#include "support/has.hpp"

namespace kalaba::cuda {
namespace {

TEST(TheCompiler, IsHereAndNamesItself) {
  EXPECT_EQ(compiler_problem(), "");
  EXPECT_EQ(compiler_version().substr(0, 6), "NVRTC ");
  EXPECT_EQ(compiler_identity().substr(0, compiler_version().size()), compiler_version());
  EXPECT_GT(compiler_identity().size(), compiler_version().size());
}

TEST(TheCompiler, MakesACubin) { EXPECT_TRUE(is_elf(compile(kernel()))); }

TEST(TheCompiler, TellsWhatDoesNotCompileAndWhy) {
  Source broken = kernel();
  broken.name = "broken pendulum";
  broken.text = "extern \"C\" __global__ void f(double* x) { *x = gravity; }";
  const Error error = test::error_of([&] { compile(broken); });
  EXPECT_EQ(error.code(), ExitCode::internal_error);
  const std::string message = error.what();
  for (const char* part :
       {"compiling broken pendulum with NVRTC 1", "\"gravity\" is undefined", "--gpu-architecture=sm_90"}) {
    EXPECT_TRUE(has(message, part)) << part << " is not in: " << message;
  }
  EXPECT_NE(message.back(), '\n');
}

TEST(TheCompiler, TellsOfAnArchitectureThatItCannotCompileFor) {
  Source newer = kernel();
  newer.options = {"--gpu-architecture=sm_999"};
  const Error unknown = test::error_of([&] { compile(newer); });
  EXPECT_EQ(unknown.code(), ExitCode::no_backend);
  EXPECT_TRUE(has(unknown.what(), "invalid value for --gpu-architecture")) << unknown.what();

  Source none = kernel();
  none.options = {"--gpu-architecture=compute_90"};
  const Error unreal = test::error_of([&] { compile(none); });
  EXPECT_EQ(unreal.code(), ExitCode::internal_error);
  EXPECT_TRUE(has(unreal.what(), "no cubin")) << unreal.what();
}

}  // namespace
}  // namespace kalaba::cuda
