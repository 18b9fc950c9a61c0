#include "kalaba/core/inverse/pseudo_inverses.hpp"
#include "kalaba/kalaba.hpp"
#include "singular/positions.hpp"

namespace kalaba::test {
namespace {

TEST(SingularPositions, ArePassedAnywhereInAStepOf_dopri5_BySvd) {
  expect_every_linkage_passes<Integrator::dopri5, JacobiSvd>();
}
TEST(SingularPositions, ArePassedAnywhereInAStepOf_dopri5_ByQr) {
  expect_every_linkage_passes<Integrator::dopri5, PivotedQr>();
}
TEST(SingularPositions, ArePassedAnywhereInAStepOf_dopri5_ByLdlt) {
  expect_every_linkage_passes<Integrator::dopri5, SparseLdlt>();
}

}  // namespace
}  // namespace kalaba::test
