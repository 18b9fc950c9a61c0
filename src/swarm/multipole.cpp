#include "swarm/multipole.hpp"

#include "swarm/multipole_method.hpp"

namespace kalaba::swarm {
namespace {

/// The order where a tolerance of at least `error` is asked for.
struct Measured {
  double error;
  int order;
};
// Of the rate, where it is largest: 200,000 agents whose density falls as 1/r^2 from a millionth of the swarm's size
// on, and that contract. In a uniform disk errors are 100 to 1000 times smaller.
constexpr Measured in_plane[] = {{1e-3, 6}, {1e-4, 8}, {1e-5, 10}, {1e-6, 11}, {1e-8, 14}};
// Likewise, of 20,000 and 100,000 agents whose density falls as 1/r^3.
constexpr Measured in_space[] = {{1e-3, 5}, {1e-4, 6}, {1e-5, 8}, {1e-6, 9}, {2e-7, 10}};

template <int D>
constexpr auto& measured() {
  if constexpr (D == 2) return in_plane;
  if constexpr (D == 3) return in_space;
}

}  // namespace

template <int D>
void add_far_pairs(const PairKernel<D>& kernel, const double* p, const CellTree<D>& tree, const CellLevel<D>& leaves,
                   const Cloud<D>& agents, const PairSums<D>& sums, int order, int threads) {
  each_axis<static_cast<int>(std::size(measured<D>()))>([&](auto i) {
    constexpr int offered = measured<D>()[i].order;
    if (order == offered) Method<D, offered>(kernel, p, tree, agents, sums, threads).run(leaves);
  });
}

template <int D>
int multipole_order(double tolerance) {
  for (const auto& [error, order] : measured<D>()) {
    if (tolerance >= error) return order;
  }
  return 0;
}

template void add_far_pairs<2>(const PairKernel<2>&, const double*, const CellTree<2>&, const CellLevel<2>&,
                               const Cloud<2>&, const PairSums<2>&, int, int);
template void add_far_pairs<3>(const PairKernel<3>&, const double*, const CellTree<3>&, const CellLevel<3>&,
                               const Cloud<3>&, const PairSums<3>&, int, int);
template int multipole_order<2>(double);
template int multipole_order<3>(double);

}  // namespace kalaba::swarm
