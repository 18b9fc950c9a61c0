#include "engine/statistics/co_moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kalaba {
namespace {

/// Calls add(i, lane) for the members of a piece that begins at `place` of a leaf; whole rows of lanes in a loop that
/// the compiler vectorises.
template <class Add>
void by_lanes(std::size_t size, std::size_t place, const Add& add) {
  std::size_t i = 0;
  for (; i < size && (place + i) % co_lanes != 0; ++i) add(i, (place + i) % co_lanes);
  for (; i + co_lanes <= size; i += co_lanes) {
    for (std::size_t lane = 0; lane < co_lanes; ++lane) add(i + lane, lane);
  }
  for (; i < size; ++i) add(i, (place + i) % co_lanes);
}

/// Adds halves of the lanes until one is left.
double folded(CoLanes lanes) {
  for (std::size_t half = co_lanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

double at_least_zero(double value) { return value < 0 ? 0 : value; }

}  // namespace

std::vector<double> CoMoments::correlations() const {
  std::vector<double> all;
  for (const Input& input : inputs) {
    // Two roots, because the product of the squares may overflow.
    const double scale = std::sqrt(squares) * std::sqrt(input.squares);
    all.push_back(scale > 0 ? std::clamp(input.product / scale, -1.0, 1.0) : std::numeric_limits<double>::quiet_NaN());
  }
  return all;
}

CoMoments merged(const CoMoments& a, const CoMoments& b) {
  if (a.count == 0) return b;
  if (b.count == 0) return a;
  CoMoments both = a;
  both.count = a.count + b.count;
  const double share = b.count / both.count;
  const double weight = a.count * share;
  const double apart = b.mean - a.mean;
  both.mean = a.mean + apart * share;
  both.squares = a.squares + b.squares + apart * apart * weight;
  for (std::size_t i = 0; i < both.inputs.size(); ++i) {
    const CoMoments::Input& left = a.inputs[i];
    const CoMoments::Input& right = b.inputs[i];
    const double input_apart = right.mean - left.mean;
    both.inputs[i] = {left.mean + input_apart * share,
                      left.squares + right.squares + input_apart * input_apart * weight,
                      left.product + right.product + input_apart * apart * weight};
  }
  return both;
}

double CoSums::count() const { return folded(counts); }

void CoSums::add(std::span<const double> values, std::span<const double* const> rows, std::size_t place) {
  if (count() == 0) {
    const auto first = std::ranges::find_if(values, [](double value) { return is_counted(value); });
    if (first == values.end()) return;
    origin = *first;
    inputs.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) inputs[i].origin = rows[i][first - values.begin()];
  }
  std::vector<double> apart(values.size());  // 0 for a member that does not count
  CoLanes numbers = counts;
  CoLanes own_sums = sums;
  CoLanes own_squares = squares;
  by_lanes(values.size(), place, [&](std::size_t i, std::size_t lane) {
    const bool counts_here = is_counted(values[i]);
    apart[i] = counts_here ? values[i] - origin : 0.0;
    numbers[lane] += counts_here ? 1.0 : 0.0;
    add_difference(apart[i], own_sums[lane], own_squares[lane]);
  });
  counts = numbers;
  sums = own_sums;
  squares = own_squares;
  for (std::size_t input = 0; input < rows.size(); ++input) {
    const double* const row = rows[input];
    Input into = inputs[input];
    by_lanes(values.size(), place, [&](std::size_t i, std::size_t lane) {
      const double input_apart = is_counted(values[i]) ? row[i] - into.origin : 0.0;
      add_difference(input_apart, into.sums[lane], into.squares[lane]);
      into.products[lane] = std::fma(apart[i], input_apart, into.products[lane]);
    });
    inputs[input] = into;
  }
}

CoMoments CoSums::moments() const {
  CoMoments leaf;
  leaf.count = count();
  if (leaf.count == 0) return leaf;
  const double sum = folded(sums);
  leaf.mean = origin + sum / leaf.count;
  leaf.squares = at_least_zero(folded(squares) - sum * sum / leaf.count);
  for (const Input& input : inputs) {
    const double input_sum = folded(input.sums);
    leaf.inputs.push_back({input.origin + input_sum / leaf.count,
                           at_least_zero(folded(input.squares) - input_sum * input_sum / leaf.count),
                           folded(input.products) - input_sum * sum / leaf.count});
  }
  return leaf;
}

void CoMomentsAccumulator::add(std::span<const double> values, std::vector<const double*> inputs) {
  CoSums leaf = open_ ? std::move(*open_) : CoSums();
  while (!values.empty()) {
    const auto place = static_cast<std::size_t>(next_ % leaf_members);
    const auto piece = values.first(std::min(values.size(), leaf_members - place));
    leaf.add(piece, inputs, place);
    values = values.subspan(piece.size());
    for (const double*& input : inputs) input += piece.size();
    next_ += static_cast<long>(piece.size());
    if (next_ % leaf_members != 0) continue;
    leaves_.add(0, next_ / leaf_members - 1, leaf.moments());
    leaf = CoSums();
  }
  open_ = next_ % leaf_members == 0 ? nullptr : std::make_unique<CoSums>(std::move(leaf));
}

CoMoments CoMomentsAccumulator::total() const {
  LeafTree<CoMoments, Merge> tree = leaves_;
  if (open_) tree.add(0, next_ / leaf_members, open_->moments());
  return tree.take_total();
}

void CoMomentsAccumulator::save(StateWriter& state) const {
  state.put(next_);
  state.put(open_ != nullptr);
  if (open_) {
    state.put(open_->origin);
    state.put(open_->counts);
    state.put(open_->sums);
    state.put(open_->squares);
    state.put(open_->inputs);
  }
  save_nodes(leaves_, state, [&](const CoMoments& node) {
    state.put(node.count);
    state.put(node.mean);
    state.put(node.squares);
    state.put(node.inputs);
  });
}

void CoMomentsAccumulator::absorb(StateReader& state) {
  const long next = state.get<long>();
  state.require(next >= next_ && !open_, "co-moments of the members that come next");
  if (state.get<bool>()) {
    CoSums sums;
    sums.origin = state.get<double>();
    sums.counts = state.get<CoLanes>();
    sums.sums = state.get<CoLanes>();
    sums.squares = state.get<CoLanes>();
    sums.inputs = state.get_all<CoSums::Input>();
    state.require(sums.inputs.empty() || sums.inputs.size() == inputs_, "co-moments with the same variables");
    open_ = std::make_unique<CoSums>(std::move(sums));
  }
  load_nodes(state, [&](int level, long index) {
    CoMoments node;
    node.count = state.get<double>();
    node.mean = state.get<double>();
    node.squares = state.get<double>();
    node.inputs = state.get_all<CoMoments::Input>();
    state.require(node.count == 0 || node.inputs.size() == inputs_, "co-moments with the same variables");
    leaves_.add(level, index, std::move(node));
  });
  next_ = next;
}

double CoMomentsAccumulator::bytes(std::size_t inputs, double levels) {
  const auto each = static_cast<double>(inputs);
  const double node = sizeof(CoMoments) + 2 * sizeof(long) + each * sizeof(CoMoments::Input);
  return sizeof(CoMomentsAccumulator) + sizeof(CoSums) + each * sizeof(CoSums::Input) + 2 * node * levels;
}

}  // namespace kalaba
