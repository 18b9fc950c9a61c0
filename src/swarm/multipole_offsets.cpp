#include "swarm/multipole_offsets.hpp"

#include <algorithm>
#include <cstdlib>

namespace kalaba::swarm {
namespace {

constexpr int reach = 3;  // interacting cells are at most so many cells away, on each axis

}  // namespace

template <int D>
Offsets<D>::Offsets() {
  constexpr int along_axis = 2 * reach + 1;
  const int places = D == 2 ? along_axis * along_axis : along_axis * along_axis * along_axis;
  for (int code = 0; code < places; ++code) {
    Offset offset{};
    for (int d = 0, rest = code; d < D; ++d, rest /= along_axis) offset.place[d] = rest % along_axis - reach;
    CellPlace<D> kind;
    for (int d = 0; d < D; ++d) {
      kind[d] = std::abs(offset.place[d]);
      if (offset.place[d] < 0) offset.reflected |= 1U << d;
    }
    if (*std::max_element(kind.begin(), kind.end()) < 2) continue;  // the cells touch
    const auto known = std::find(kinds_.begin(), kinds_.end(), kind);
    offset.kind = static_cast<int>(known - kinds_.begin());
    if (known == kinds_.end()) kinds_.push_back(kind);
    all_.push_back(offset);
  }
  std::stable_sort(all_.begin(), all_.end(), [](const Offset& a, const Offset& b) { return a.kind < b.kind; });
}

template class Offsets<2>;
template class Offsets<3>;

}  // namespace kalaba::swarm
