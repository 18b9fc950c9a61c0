#include "models/expect_figures.hpp"

namespace kalaba {
namespace {

class ModelFigures : public testing::TestWithParam<const char*> {};

TEST_P(ModelFigures, OnTheReference) { expect_figures(GetParam(), Backend::reference); }

/// Compiled where there is a compiler, else by the reference.
TEST_P(ModelFigures, OnTheCpu) { expect_figures(GetParam(), Backend::cpu); }

INSTANTIATE_TEST_SUITE_P(Models, ModelFigures, models_with_figures,
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace kalaba
