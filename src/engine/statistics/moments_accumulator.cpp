#include "engine/statistics/moments_accumulator.hpp"

#include <algorithm>
#include <string>

#include "kalaba/error.hpp"

namespace kalaba {
void LeafSums::add(std::span<const double> values, std::size_t place) {
  std::size_t i = 0;
  if (count == 0) {
    while (i < values.size() && !is_counted(values[i])) ++i;
    if (i == values.size()) return;
    origin = least = greatest = values[i];
  }
  while (i < values.size() && (place + i) % leaf_lanes != 0) {
    add_one(values[i], place + i);
    ++i;
  }
  const std::size_t rows = (values.size() - i) / leaf_lanes;
  add_rows(values.data() + i, rows);
  for (i += rows * leaf_lanes; i < values.size(); ++i) add_one(values[i], place + i);
}

void LeafSums::add_one(double value, std::size_t place) {
  if (!is_counted(value)) return;
  const std::size_t lane = place % leaf_lanes;
  add_difference(value - origin, sums[lane], squares[lane]);
  count += 1;
  least = std::min(least, value);
  greatest = std::max(greatest, value);
}

/// Adds whole rows of lanes, without branches and in arrays without aliases, so that the compiler vectorises the loop.
void LeafSums::add_rows(const double* values, std::size_t rows) {
  LeafSums leaf = *this;
  std::array<double, leaf_lanes> numbers = {};
  std::array<double, leaf_lanes> lows;
  std::array<double, leaf_lanes> highs;
  lows.fill(least);
  highs.fill(greatest);
  std::array<double, leaf_lanes> used;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t lane = 0; lane < leaf_lanes; ++lane) {
      const double value = values[row * leaf_lanes + lane];
      used[lane] = is_counted(value) ? value : leaf.origin;  // adds zero
      numbers[lane] += is_counted(value) ? 1.0 : 0.0;
    }
    for (std::size_t lane = 0; lane < leaf_lanes; ++lane) {
      add_difference(used[lane] - leaf.origin, leaf.sums[lane], leaf.squares[lane]);
      lows[lane] = used[lane] < lows[lane] ? used[lane] : lows[lane];
      highs[lane] = used[lane] > highs[lane] ? used[lane] : highs[lane];
    }
  }
  for (const double number : numbers) leaf.count += number;
  leaf.least = std::ranges::min(lows);
  leaf.greatest = std::ranges::max(highs);
  *this = leaf;
}

Moments LeafSums::moments() const {
  LeafSums leaf = *this;
  for (std::size_t half = leaf_lanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) {
      leaf.sums[lane] += leaf.sums[lane + half];
      leaf.squares[lane] += leaf.squares[lane + half];
    }
  }
  return leaf_moments(count, origin, leaf.sums[0], leaf.squares[0], least, greatest);
}

void MomentsAccumulator::add(std::span<const double> values) {
  LeafSums leaf = open_ ? *open_ : LeafSums();
  while (!values.empty()) {
    const auto place = static_cast<std::size_t>(next_ % leaf_members);
    const auto piece = values.first(std::min(values.size(), leaf_members - place));
    leaf.add(piece, place);
    values = values.subspan(piece.size());
    next_ += static_cast<long>(piece.size());
    if (next_ % leaf_members != 0) continue;
    leaves_.add(0, next_ / leaf_members - 1, leaf.moments());
    leaf = LeafSums();
  }
  open_ = next_ % leaf_members == 0 ? nullptr : std::make_unique<LeafSums>(leaf);
}

void MomentsAccumulator::add_leaf(const Moments& leaf, long members) {
  if (next_ % leaf_members != 0) {
    throw Error(ExitCode::internal_error, "statistics: expected whole leaves of " + std::to_string(leaf_members) +
                                              " members before a summed one, found " + std::to_string(next_) +
                                              " members");
  }
  leaves_.add(0, next_ / leaf_members, leaf);
  next_ += members;
}

void MomentsAccumulator::save(StateWriter& state) const {
  state.put(first_);
  state.put(next_);
  state.put(open_ != nullptr);
  if (open_) state.put(*open_);
  save_nodes(leaves_, state, [&](const Moments& node) { state.put(node); });
}

void MomentsAccumulator::absorb(StateReader& state) {
  state.require(state.get<long>() == next_ && !open_, "statistics of the members that come next");
  const long next = state.get<long>();
  state.require(next >= next_, "members behind the first");
  if (state.get<bool>()) open_ = std::make_unique<LeafSums>(state.get<LeafSums>());
  load_nodes(state, [&](int level, long index) { leaves_.add(level, index, state.get<Moments>()); });
  next_ = next;
}

Moments MomentsAccumulator::total() const {
  LeafTree<Moments, Merge> tree = leaves_;
  if (open_) tree.add(0, next_ / leaf_members, open_->moments());
  return tree.take_total();
}

}  // namespace kalaba
