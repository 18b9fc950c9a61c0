#include "swarm/near_sum.hpp"

#include "kalaba/backend/parallel.hpp"

namespace kalaba::swarm {
namespace {

/// Finds the occupied cells among the 3^D cells around a cell and itself, ascending; returns their number.
template <int D>
int neighbours(const CellLevel<D>& cells, long cell, std::array<long, 27>& found) {
  int count = 0;
  const int all = D == 2 ? 9 : 27;
  for (int code = 0; code < all; ++code) {
    CellPlace<D> place = cells.places[cell];
    for (int d = 0, rest = code; d < D; ++d, rest /= 3) place[d] += rest % 3 - 1;
    if (const long neighbour = cells.find(place); neighbour >= 0) found[count++] = neighbour;
  }
  std::sort(found.begin(), found.begin() + count);
  return count;
}

}  // namespace

template <int D>
void add_near_pairs(const PairKernel<D>& kernel, const double* p, const CellLevel<D>& cells, const Cloud<D>& agents,
                    const PairSums<D>& sums, int threads) {
  parallel_for(cells.size(), 16, threads, [&](long begin, long end) {
    std::array<long, 27> near{};
    for (long cell = begin; cell < end; ++cell) {
      const int count = neighbours(cells, cell, near);
      for (int k = 0; k < count;) {  // consecutive cells are one range of agents
        int last = k;
        while (last + 1 < count && near[last + 1] == near[last] + 1) ++last;
        kernel.add(p, agents, cells.begin[cell], cells.begin[cell + 1], agents, cells.begin[near[k]],
                   cells.begin[near[last] + 1], sums);
        k = last + 1;
      }
    }
  });
}

template void add_near_pairs<2>(const PairKernel<2>&, const double*, const CellLevel<2>&, const Cloud<2>&,
                                const PairSums<2>&, int);
template void add_near_pairs<3>(const PairKernel<3>&, const double*, const CellLevel<3>&, const Cloud<3>&,
                                const PairSums<3>&, int);

}  // namespace kalaba::swarm
