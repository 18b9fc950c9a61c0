// Text models on the CUDA backend.

#include "backend/backends.hpp"
#include "models/expect_figures.hpp"

namespace kalaba {
namespace {

class ModelFiguresOnDevice : public testing::TestWithParam<const char*> {};

TEST_P(ModelFiguresOnDevice, AreTheirs) {
  if (!cuda_available()) GTEST_SKIP() << "no GPU: " << cuda_unavailable_reason();
  expect_figures(GetParam(), Backend::cuda);
}

INSTANTIATE_TEST_SUITE_P(Models, ModelFiguresOnDevice, models_with_figures,
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace kalaba
