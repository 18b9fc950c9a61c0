// A run creates its backend once: on a GPU this compiles the kernels.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kalaba/ensemble.hpp"
#include "kalaba/run.hpp"

namespace kalaba {
namespace {

/// Members with default starts.
class DefaultMembers final : public MemberSource {
 public:
  explicit DefaultMembers(const System& system) : system_(system) {}
  long members() const override { return 3; }
  void fill(Block& block) const override {
    for (std::size_t i = 0; i < system_.info.parameters.size(); ++i) {
      for (double& x : block.parameter(static_cast<int>(i))) x = system_.info.parameters[i].value;
    }
    for (std::size_t i = 0; i < system_.info.coordinates.size(); ++i) {
      for (double& x : block.coordinate(static_cast<int>(i))) x = system_.info.coordinates[i].value;
    }
    for (std::size_t i = 0; i < system_.info.rates.size(); ++i) {
      for (double& x : block.rate(static_cast<int>(i))) x = system_.info.rates[i].value;
    }
  }

 private:
  const System& system_;
};

TEST(ARunsBackend, IsMadeOnceAndSaysWhatItIsBeforeTheRun) {
  System system = find_system("spherical_pendulum");
  int made = 0;
  system.cpu = [&made, make = system.reference](const Options& options) {
    ++made;
    return make(options);
  };
  Options options = default_options(system);
  options.time.end = 0.01;
  std::vector<std::string> said;
  const auto begun = [&](const RunInfo& info) { said = {info.device, info.note}; };
  options.backend = Backend::cpu;
  const Summary summary = run(system, DefaultMembers(system), options, {}, {}, {}, {}, begun);
  EXPECT_EQ(summary.finished_members, 3);
  EXPECT_EQ(made, 1);
  ASSERT_EQ(said.size(), 2U);
  EXPECT_EQ(said[0], summary.device);
  EXPECT_EQ(said[1], "");  // nothing had to be chosen
}

PseudoInverse chosen(const char* name, Backend backend, Compile compile = Compile::automatic) {
  const System& system = find_system(name);
  Options options = default_options(system);
  options.backend = backend;
  options.compile = compile;
  options.time.end = options.time.start + options.time.dt;
  return run(system, DefaultMembers(system), options, {}).pseudo_inverse;
}

TEST(ARunsBackend, TakesTheDirectMethodForSeveralConstraints) {
  EXPECT_EQ(chosen("chain", Backend::cpu), PseudoInverse::ldlt);
  EXPECT_EQ(chosen("chain_redundant", Backend::cpu), PseudoInverse::ldlt);
  EXPECT_EQ(chosen("two_particles_incline", Backend::cpu), PseudoInverse::svd);  // rank 2 of 3
  EXPECT_EQ(chosen("spherical_pendulum", Backend::cpu), PseudoInverse::svd);  // one constraint: a division
  EXPECT_EQ(chosen("chain", Backend::reference), PseudoInverse::svd);
  EXPECT_EQ(chosen("chain", Backend::cpu, Compile::never), PseudoInverse::ldlt);  // interpreted
}

TEST(AResult, HasTheSavedComponentsAlone) {
  const System& system = find_system("spherical_pendulum");
  Options options = default_options(system);
  options.backend = Backend::reference;
  options.time.end = 0.1;
  options.fields = {Field::q, Field::energy};
  const Result whole = run(Ensemble(system, 3), options);
  options.fields = {Field::energy};
  options.fields.add_component(Field::q, "z");
  const Result some = run(Ensemble(system, 3), options);
  const std::size_t last = whole.times().size() - 1;
  for (const char* name : {"z", "energy"}) {
    EXPECT_TRUE(std::ranges::equal(some.values(name, last), whole.values(name, last))) << name;
  }
  EXPECT_THROW(some.values("x", last), Error);
  for (const auto& [field, name] : {std::pair{Field::q, "zz"}, std::pair{Field::w, "z"}}) {
    options.fields = SavedFields();
    options.fields.add_component(field, name);
    EXPECT_THROW(run(Ensemble(system, 3), options), Error) << name;
  }
}

}  // namespace
}  // namespace kalaba
