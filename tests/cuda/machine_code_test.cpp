// Minimum number of instructions per iteration of a kernel's time loop, read from the compiler's output for kernels
// whose operations are counted by hand.

#include "backend/cuda/machine_code.hpp"

#include <gtest/gtest.h>

#include "backend/cuda/compiler.hpp"
#include "backend/cuda/time_loop.hpp"
#include "kalaba/error.hpp"

namespace kalaba::cuda {
namespace {

std::vector<MachineInstruction> compiled(const std::string& body, const std::string& architecture) {
  const std::string text =
      "__device__ __noinline__ double called(double a) { return a / (a + 1.5); }\n"
      "extern \"C\" __global__ void kernel(double* x, int steps, int more) { double a = *x;\n" +
      body + "\n*x = a; }";
  return kernel_code(compile({"kernel", text, {"--gpu-architecture=" + architecture}}), "kernel");
}

class MachineCode : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!compiler_problem().empty()) GTEST_SKIP() << compiler_problem();
  }

  /// Number of double-precision sums, products and comparisons of the cheapest iteration; -1: there is no loop.
  static long least(const std::string& body, int divisions = 0) {
    const auto turn = least_turn(compiled(body, GetParam()), GetParam(), divisions);
    return turn ? turn->fp64 : -1;
  }
};
INSTANTIATE_TEST_SUITE_P(Of, MachineCode, testing::Values("sm_80", "sm_90"));

TEST_P(MachineCode, CountsALoopOnce) {
  const std::string body =
      "a += 3;\n#pragma unroll 1\nfor (int i = 0; i < steps; ++i) { a = fma(a, 1.5, 2.5); a *= a; }";
  const auto code = compiled(body, GetParam());
  EXPECT_EQ(count(code).fp64, 3);
  const auto turn = least_turn(code, GetParam(), 0);
  ASSERT_TRUE(turn);
  EXPECT_EQ(turn->fp64, 2);
  EXPECT_GE(turn->all, 3);  // and the branch
  EXPECT_LT(turn->all, count(code).all);
}

/// An array with run-time indices is in local memory, where two numbers are stored at once; a pointer to shared or
/// global memory is generic.
TEST_P(MachineCode, CountsLocalAndGenericMemory) {
  EXPECT_EQ(count(compiled("a += x[steps];", GetParam())).local, 0);
  EXPECT_GE(count(compiled("double array[8];\n"
                           "for (int i = 0; i < 8; ++i) array[i] = x[i];\n"
                           "a += array[steps & 7];",
                           GetParam()))
                .local,
            5);
  EXPECT_GE(count(compiled("__shared__ double shared[8];\n"
                           "shared[threadIdx.x] = a;\n"
                           "const volatile double* either = more > 3 ? shared + steps : x;\n"
                           "a += *either;",
                           GetParam()))
                .local,
            1);
}

TEST_P(MachineCode, HasNoTurnWithoutALoop) { EXPECT_EQ(least("a = fma(a, 1.5, 2.5);"), -1); }

TEST_P(MachineCode, PassesByWhatMayBeLeftOut) {
  EXPECT_EQ(least("#pragma unroll 1\n"
                  "for (int i = 0; i < steps; ++i) {\n"
                  "  a = fma(a, 1.5, 2.5);\n"
                  "  if (a > 1e6) {\n"
                  "    a *= 0.25;\n"
                  "#pragma unroll 1\n"
                  "    for (int j = 0; j < more; ++j) a = fma(a, a, 1.0);\n"
                  "  }\n"
                  "}"),
            2);
}

/// A division calls a function for extreme operands.
TEST_P(MachineCode, DoesNotCallWhatIsSeldomNeeded) {
  const long product = least("#pragma unroll 1\nfor (int i = 0; i < steps; ++i) a = 1.5 * a + x[i];");
  const long division = least("#pragma unroll 1\nfor (int i = 0; i < steps; ++i) a = 1.5 / a + x[i];");
  EXPECT_GE(product, 1);
  EXPECT_GT(division, product + 4);
  EXPECT_LT(division, 16);
}

/// Instructions of called functions are not counted, so that a path without calls is preferred if there is one.
TEST_P(MachineCode, GoesRoundACallWhereItMay) {
  EXPECT_EQ(least("#pragma unroll 1\n"
                  "for (int i = 0; i < steps; ++i) {\n"
                  "  if (i < more) {\n"
                  "    a = called(a);\n"
                  "  } else {\n"
                  "    for (int j = 0; j < 20; ++j) a = fma(a, a, x[j]);\n"
                  "  }\n"
                  "}"),
            20);
}

/// An iteration that leaves the loop before its division does not count.
TEST_P(MachineCode, GoesThroughItsDivisions) {
  const std::string body =
      "#pragma unroll 1\n"
      "for (int i = 0; i < steps; ++i) {\n"
      "  a = fma(a, 1.5, 2.5);\n"
      "  if (a < 1e6) {\n"
      "    a = 1.5 / a;\n"
      "    if (a > 1e-6) a = 1.5 / (a + x[i]);\n"
      "  }\n"
      "}";
  EXPECT_EQ(least(body), 2);
  const long one = least(body, 1);
  const long two = least(body, 2);
  EXPECT_GT(one, 6);
  EXPECT_GT(two, one + 4);
  EXPECT_EQ(least(body, 3), -1);
}

/// The loop over members around the loop over steps could iterate without a step.
TEST_P(MachineCode, TakesTheLargestLoopThatAlwaysComputes) {
  EXPECT_EQ(least("#pragma unroll 1\n"
                  "for (int k = 0; k < more; ++k) {\n"
                  "#pragma unroll 1\n"
                  "  for (int i = 0; i < steps - k; ++i) {\n"
                  "    a = fma(a, 1.5, 2.5); a *= a; a *= 0.3;\n"
                  "  }\n"
                  "  x[k] = a;\n"
                  "}"),
            3);
}

TEST(MachineCodeOfNothing, IsEmpty) {
  EXPECT_TRUE(kernel_code({}, "kernel").empty());
  EXPECT_TRUE(kernel_code(std::vector<char>(100, 'x'), "kernel").empty());
  EXPECT_FALSE(least_turn({}, "sm_90", 0));
}

}  // namespace
}  // namespace kalaba::cuda
