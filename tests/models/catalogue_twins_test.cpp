#include "kalaba/ensemble.hpp"
#include "models/golden.hpp"

namespace kalaba {
namespace {

/// A system of the catalogue, and the text of the same system.
class CatalogueTwins : public testing::TestWithParam<const char*> {};

std::vector<double> final_state(const System& system) {
  Options options = default_options(system);
  options.backend = Backend::reference;
  options.time = {.start = 0, .end = 0.5, .dt = 1e-3, .save_every = 0};
  const Result result = run(Ensemble(system, 1), options);
  std::vector<double> state;
  for (const auto* variables : {&system.info.coordinates, &system.info.rates}) {
    for (const Variable& each : *variables) state.push_back(result.values(each.name, result.times().size() - 1)[0]);
  }
  return state;
}

TEST_P(CatalogueTwins, MoveAlike) {
  const std::filesystem::path twins = std::filesystem::path(KALABA_SOURCE_DIR) / "tests/models/twins";
  const Scenario text = load_scenario((twins / (std::string(GetParam()) + ".toml")).string(), {});
  const System& built = find_system(GetParam());
  const std::vector<double> ours = final_state(*text.system);
  const std::vector<double> theirs = final_state(built);
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(ours[i], theirs[i], 1e-11) << i;
}

INSTANTIATE_TEST_SUITE_P(Models, CatalogueTwins,
                         testing::Values("balanced_rod", "draggy_particle", "prescribed_speed", "projectile_polar",
                                         "rolling_ball", "split_oscillator"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace kalaba
