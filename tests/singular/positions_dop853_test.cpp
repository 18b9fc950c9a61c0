#include "kalaba/core/inverse/pseudo_inverses.hpp"
#include "kalaba/kalaba.hpp"
#include "singular/positions.hpp"

namespace kalaba::test {
namespace {

TEST(SingularPositions, ArePassedAnywhereInAStepOf_dop853_BySvd) {
  expect_every_linkage_passes<Integrator::dop853, JacobiSvd>();
}
TEST(SingularPositions, ArePassedAnywhereInAStepOf_dop853_ByQr) {
  expect_every_linkage_passes<Integrator::dop853, PivotedQr>();
}
TEST(SingularPositions, ArePassedAnywhereInAStepOf_dop853_ByLdlt) {
  expect_every_linkage_passes<Integrator::dop853, SparseLdlt>();
}

}  // namespace
}  // namespace kalaba::test
