#include "swarm/multipole.hpp"

#include "swarm/multipole_method.hpp"

namespace kalaba::swarm {
namespace {

/// Accuracy settings for a tolerance of at least `error`.
struct Measured {
  double error;
  MultipoleAccuracy accuracy;
};
// Errors of the rate in the worst case: 100,000 agents whose density falls as 1/r^2 from a millionth of the swarm's
// size on, and that contract. In a uniform disk errors are 100 to 1000 times smaller.
constexpr Measured in_plane[] = {
    {1e-3, {7, 3e-6}}, {1e-4, {8, 3e-7}}, {1e-5, {10, 3e-8}}, {1e-6, {11, 3e-9}}, {1e-8, {14, 3e-11}}};
// Likewise, for agents whose density falls as 1/r^3.
constexpr Measured in_space[] = {
    {1e-3, {6, 1e-5}}, {1e-4, {7, 1e-6}}, {1e-5, {8, 1e-7}}, {1e-6, {9, 1e-8}}, {2e-7, {10, 2e-9}}};

template <int D>
constexpr auto& measured() {
  if constexpr (D == 2) return in_plane;
  if constexpr (D == 3) return in_space;
}

}  // namespace

template <int D>
void add_far_pairs(FarTables<D>& tables, const double* p, const CellTree<D>& tree, const CellLevel<D>& leaves,
                   const Cloud<D>& agents, const PairSums<D>& sums, int threads) {
  each_axis<static_cast<int>(std::size(measured<D>()))>([&](auto i) {
    constexpr int offered = measured<D>()[i].accuracy.order;
    if (tables.order() == offered) MultipoleMethod<D, offered>(tree, agents, sums, threads).run(tables, p, leaves);
  });
}

template <int D>
std::optional<MultipoleAccuracy> multipole_accuracy(double tolerance) {
  for (const auto& [error, accuracy] : measured<D>()) {
    if (tolerance >= error) return accuracy;
  }
  return std::nullopt;
}

template void add_far_pairs<2>(FarTables<2>&, const double*, const CellTree<2>&, const CellLevel<2>&, const Cloud<2>&,
                               const PairSums<2>&, int);
template void add_far_pairs<3>(FarTables<3>&, const double*, const CellTree<3>&, const CellLevel<3>&, const Cloud<3>&,
                               const PairSums<3>&, int);
template std::optional<MultipoleAccuracy> multipole_accuracy<2>(double);
template std::optional<MultipoleAccuracy> multipole_accuracy<3>(double);

}  // namespace kalaba::swarm
