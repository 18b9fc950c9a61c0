#include "kalaba/core/inverse/pseudo_inverses.hpp"
#include "kalaba/kalaba.hpp"
#include "singular/positions.hpp"

namespace kalaba::test {
namespace {

TEST(SingularPositions, ArePassedAnywhereInAStepOf_rk4_BySvd) {
  expect_every_linkage_passes<Integrator::rk4, JacobiSvd>();
}
TEST(SingularPositions, ArePassedAnywhereInAStepOf_rk4_ByQr) {
  expect_every_linkage_passes<Integrator::rk4, PivotedQr>();
}
TEST(SingularPositions, ArePassedAnywhereInAStepOf_rk4_ByLdlt) {
  expect_every_linkage_passes<Integrator::rk4, SparseLdlt>();
}

}  // namespace
}  // namespace kalaba::test
