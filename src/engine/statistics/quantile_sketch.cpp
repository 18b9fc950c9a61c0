#include "engine/statistics/quantile_sketch.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "kalaba/core/base/moments.hpp"
#include "kalaba/error.hpp"

namespace kalaba {
namespace {

SampleNode leaf_node(std::vector<double> values) {
  std::ranges::sort(values);
  Sample sample;
  sample.size = static_cast<long>(values.size());
  sample.count = static_cast<double>(values.size());
  return {sample, std::move(values)};
}

/// Numbers of several samples, ascending, with the number of members that each represents.
class WeightedNumbers {
 public:
  explicit WeightedNumbers(const std::vector<SampleNode>& nodes) {
    for (const auto& [sample, values] : nodes) {
      for (const double value : values) numbers_.push_back({value, sample.weight});
    }
    std::ranges::sort(numbers_, {}, &Number::value);
    for (Number& number : numbers_) number.end = members_ += number.end;
  }

  double members() const { return members_; }

  /// NumPy's linear interpolation, exact at both neighbours and never decreasing. Ranks start at 0.
  double at(double rank) const {
    const double below = std::floor(rank);
    const double fraction = rank - below;
    const double low = of_rank(below);
    const double high = of_rank(below + 1);
    return fraction < 0.5 ? low + (high - low) * fraction : high - (high - low) * (1 - fraction);
  }

 private:
  struct Number {
    double value;
    double end;  // members that this number and the previous ones represent
  };

  double of_rank(double rank) const {
    const auto found = std::ranges::upper_bound(numbers_, rank, {}, &Number::end);
    return found == numbers_.end() ? numbers_.back().value : found->value;
  }

  std::vector<Number> numbers_;
  double members_ = 0;
};

}  // namespace

SampleNode QuantileSketch::Merge::operator()(const SampleNode& left, const SampleNode& right, long index) const {
  const SampleMerge plan = plan_merge(left.sample, right.sample, kept, index);
  const auto number = [](const SampleNode& node, const Thinning& thinning, long i) {
    return node.values[static_cast<std::size_t>(thinning.place(i))];
  };
  SampleNode result{plan.result, {}};
  result.values.reserve(static_cast<std::size_t>(plan.result.size));
  long requested = plan.both.offset;
  for (long l = 0, r = 0; l < plan.left.size || r < plan.right.size;) {
    const bool take_left =
        r == plan.right.size || (l < plan.left.size && number(left, plan.left, l) <= number(right, plan.right, r));
    if (l + r == requested) {
      result.values.push_back(take_left ? number(left, plan.left, l) : number(right, plan.right, r));
      requested += plan.both.step;
    }
    ++(take_left ? l : r);
  }
  return result;
}

void QuantileSketch::add(std::span<const double> values) {
  while (!values.empty()) {
    const auto piece = values.first(std::min(values.size(), static_cast<std::size_t>(kept_ - next_ % kept_)));
    std::ranges::copy_if(piece, std::back_inserter(open_), [](double value) { return is_counted(value); });
    values = values.subspan(piece.size());
    next_ += static_cast<long>(piece.size());
    if (next_ % kept_ != 0) continue;
    close_leaf(next_ / kept_ - 1, open_);
    open_.clear();
  }
}

bool QuantileSketch::fit_whole(const std::vector<double>& values) const {
  return is_whole_ && whole_.size() + values.size() <= static_cast<std::size_t>(whole_leaves * kept_);
}

void QuantileSketch::close_leaf(long index, const std::vector<double>& values) {
  if (values.empty()) return;
  if (!fit_whole(values)) {
    add_to_tree(0, index, leaf_node(values));
    return;
  }
  const std::size_t size = whole_.size() + values.size();
  if (size > whole_.capacity()) {
    whole_.reserve(std::min(std::max(2 * whole_.size(), size), static_cast<std::size_t>(whole_leaves * kept_)));
  }
  whole_.insert(whole_.end(), values.begin(), values.end());
  whole_leaves_.push_back({index, values.size()});
}

void QuantileSketch::add_to_tree(int level, long index, SampleNode node) {
  if (std::exchange(is_whole_, false)) {
    move_whole_leaves_to(tree_);
    std::vector<double>().swap(whole_);  // frees its memory
    std::vector<WholeLeaf>().swap(whole_leaves_);
  }
  tree_.add(level, index, std::move(node));
}

void QuantileSketch::move_whole_leaves_to(Tree& tree) const {
  auto values = whole_.begin();
  for (const auto& [index, size] : whole_leaves_) {
    const auto end = values + static_cast<long>(size);
    tree.add(0, index, leaf_node({values, end}));
    values = end;
  }
}

void QuantileSketch::add_node(int level, long index, SampleNode node) {
  const long first = (index << level) * kept_;
  if (next_ % kept_ != 0 || first < next_) {
    throw Error(ExitCode::internal_error, "statistics: expected a node behind the first " + std::to_string(next_) +
                                              " members, found one from member " + std::to_string(first) + " on");
  }
  next_ = first + (kept_ << level);
  if (level == 0) {
    close_leaf(index, node.values);
  } else {
    add_to_tree(level, index, std::move(node));
  }
}

void QuantileSketch::save(StateWriter& state) const {
  state.put(kept_);
  state.put(next_);
  state.put(open_);
  state.put(whole_);
  state.put(whole_leaves_);
  save_nodes(tree_, state, [&](const SampleNode& node) {
    state.put(node.sample);
    state.put(node.values);
  });
}

void QuantileSketch::absorb(StateReader& state) {
  state.require(state.get<long>() == kept_ && open_.empty(), "samples of as many numbers");
  const long next = state.get<long>();
  state.require(next >= next_, "members behind the first");
  open_ = state.get_all<double>();
  const std::vector<double> values = state.get_all<double>();
  auto value = values.begin();
  for (const auto& [index, size] : state.get_all<WholeLeaf>()) {
    state.require(size <= static_cast<std::size_t>(values.end() - value), "the numbers of each leaf");
    close_leaf(index, {value, value + static_cast<long>(size)});
    value += static_cast<long>(size);
  }
  load_nodes(state, [&](int level, long index) {
    const auto sample = state.get<Sample>();
    add_to_tree(level, index, {sample, state.get_all<double>()});
  });
  next_ = next;
}

std::vector<SampleNode> QuantileSketch::samples() const {
  if (fit_whole(open_)) {
    std::vector<double> values = whole_;
    values.insert(values.end(), open_.begin(), open_.end());
    return {leaf_node(std::move(values))};
  }
  Tree tree = tree_;
  move_whole_leaves_to(tree);
  if (!open_.empty()) tree.add(0, next_ / kept_, leaf_node(open_));
  std::vector<SampleNode> nodes;
  tree.for_nodes([&](int, long, const SampleNode& node) { nodes.push_back(node); });
  return nodes;
}

QuantileSketch::Quantiles QuantileSketch::quantiles(std::span<const double> shares) const {
  const std::vector<SampleNode> nodes = samples();
  const WeightedNumbers numbers(nodes);
  Quantiles result;
  double below = 0;
  double above = 0;
  for (const SampleNode& node : nodes) {
    result.count += node.sample.count;
    below += node.sample.below;
    above += node.sample.above;
  }
  result.rank_error = std::max(below, above) + std::abs(numbers.members() - result.count);
  for (const double share : shares) {
    const bool none = numbers.members() == 0;
    result.values.push_back(none ? std::numeric_limits<double>::quiet_NaN() : numbers.at(share * (result.count - 1)));
  }
  return result;
}

}  // namespace kalaba
