#include "swarm/cell_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kalaba/backend/parallel.hpp"

namespace kalaba::swarm {
namespace {

constexpr long grain = 1 << 14;

/// Returns the bits of a number with D - 1 zeros between them.
template <int D>
std::uint64_t spread(std::uint64_t x) {
  if constexpr (D == 2) {
    x = (x | x << 16) & 0x0000FFFF0000FFFFULL;
    x = (x | x << 8) & 0x00FF00FF00FF00FFULL;
    x = (x | x << 4) & 0x0F0F0F0F0F0F0F0FULL;
    x = (x | x << 2) & 0x3333333333333333ULL;
    return (x | x << 1) & 0x5555555555555555ULL;
  } else {
    x = (x | x << 32) & 0x001F00000000FFFFULL;
    x = (x | x << 16) & 0x001F0000FF0000FFULL;
    x = (x | x << 8) & 0x100F00F00F00F00FULL;
    x = (x | x << 4) & 0x10C30C30C30C30C3ULL;
    return (x | x << 2) & 0x1249249249249249ULL;
  }
}

template <int D>
std::uint64_t morton(const CellPlace<D>& place) {
  std::uint64_t key = 0;
  for (int d = 0; d < D; ++d) key |= spread<D>(static_cast<std::uint64_t>(place[d])) << d;
  return key;
}

template <int D>
CellPlace<D> place_of(std::uint64_t key) {
  CellPlace<D> place{};
  for (int bit = 0; key >> bit != 0; ++bit) place[bit % D] |= static_cast<long>(key >> bit & 1U) << (bit / D);
  return place;
}

}  // namespace

template <int D>
long CellLevel<D>::find(const CellPlace<D>& place) const {
  for (const long c : place) {
    if (c < 0 || c >= 1L << level) return -1;
  }
  const std::uint64_t key = morton<D>(place);
  if (!dense.empty()) return dense[key];
  const auto found = std::lower_bound(keys.begin(), keys.end(), key);
  return found != keys.end() && *found == key ? found - keys.begin() : -1;
}

template <int D>
bool CellTree<D>::sort(const double* const (&x)[D], long size, int threads) {
  const auto count = static_cast<std::size_t>(size);
  double widest = 0;
  for (int d = 0; d < D; ++d) {
    const auto [least, most] = std::minmax_element(x[d], x[d] + size);
    low_[d] = size > 0 ? *least : 0;
    widest = std::max(widest, size > 0 ? *most - *least : 0);
  }
  if (!std::isfinite(widest)) return false;
  // A little wider than the agents, so that none lies on the far side. Widths are rounded to a fourth of an octave, so
  // that tables of a cell's width can be reused.
  const double quarters = std::ceil(4 * std::log2(std::max(widest, std::numeric_limits<double>::min() * 1e20)) + 1e-6);
  const double octaves = std::floor(quarters / 4);
  width_ = std::ldexp(std::exp2((quarters - 4 * octaves) / 4), static_cast<int>(octaves));
  if (!std::isfinite(width_)) return false;
  const double scale = std::ldexp(1.0, deepest) / width_;
  keys_.resize(count);
  order_.resize(count);
  parallel_for(size, grain, threads, [&](long begin, long end) {
    for (long i = begin; i < end; ++i) {
      CellPlace<D> place;
      for (int d = 0; d < D; ++d) {
        place[d] = std::min(static_cast<long>((x[d][i] - low_[d]) * scale), (1L << deepest) - 1);
      }
      keys_[i] = morton<D>(place);
      order_[i] = static_cast<int>(i);
    }
  });
  // Radix sort by digits of 10 bits, the least significant first.
  spare_keys_.resize(count);
  spare_order_.resize(count);
  constexpr int digit = 10;
  for (int shift = 0; shift < D * deepest; shift += digit) {
    std::array<long, (1 << digit) + 1> starts{};
    const auto digit_of = [&](std::uint64_t key) { return key >> shift & ((1U << digit) - 1); };
    for (const std::uint64_t key : keys_) ++starts[digit_of(key) + 1];
    for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
    for (std::size_t i = 0; i < count; ++i) {
      const long to = starts[digit_of(keys_[i])]++;
      spare_keys_[to] = keys_[i];
      spare_order_[to] = order_[i];
    }
    keys_.swap(spare_keys_);
    order_.swap(spare_order_);
  }
  return true;
}

template <int D>
CellLevel<D> CellTree<D>::level(int level) const {
  CellLevel<D> cells;
  cells.level = level;
  cells.width = std::ldexp(width_, -level);
  const auto size = static_cast<long>(keys_.size());
  for (long i = 0; i < size; ++i) {
    if (i > 0 && key_of(i, level) == key_of(i - 1, level)) continue;
    cells.keys.push_back(key_of(i, level));
    cells.places.push_back(place_of<D>(cells.keys.back()));
    cells.begin.push_back(i);
  }
  cells.begin.push_back(size);
  if (D * level < 40 && 1L << (D * level) <= 8 * cells.size() + 1024) {
    cells.dense.assign(std::size_t{1} << (D * level), -1);
    for (long c = 0; c < cells.size(); ++c) cells.dense[cells.keys[c]] = static_cast<int>(c);
  }
  return cells;
}

template <int D>
typename CellTree<D>::Crowding CellTree<D>::crowding(int level) const {
  Crowding result;
  const auto size = static_cast<long>(keys_.size());
  long begin = 0;
  for (long i = 1; i <= size; ++i) {
    if (i < size && key_of(i, level) == key_of(begin, level)) continue;
    result.squares += static_cast<double>(i - begin) * static_cast<double>(i - begin);
    ++result.cells;
    begin = i;
  }
  return result;
}

template struct CellLevel<2>;
template struct CellLevel<3>;
template class CellTree<2>;
template class CellTree<3>;

}  // namespace kalaba::swarm
