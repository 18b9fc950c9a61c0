#include "engine/statistics/grouped_moments.hpp"

#include <algorithm>
#include <utility>

namespace kalaba {

GroupedMoments::Node GroupedMoments::Merge::operator()(const Node& left, const Node& right, long /*index*/) const {
  Node both;
  both.reserve(left.size());
  for (std::size_t i = 0; i < left.size(); ++i) both.push_back(merged(left[i], right[i]));
  return both;
}

void GroupedMoments::add(std::span<const double> values, std::span<const std::size_t> group_of) {
  if (open_.empty()) open_.resize(groups_);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    if (group_of[i] < groups_ && is_counted(value)) {
      Moments& group = open_[group_of[i]];
      group = merged(group, {1, value, 0, value, value});
    }
    if (++next_ % leaf_members != 0) continue;
    leaves_.add(0, next_ / leaf_members - 1, std::exchange(open_, Node(groups_)));
  }
  if (next_ % leaf_members == 0) Node().swap(open_);
}

std::vector<Moments> GroupedMoments::total() const {
  LeafTree<Node, Merge> tree = leaves_;
  if (!open_.empty()) tree.add(0, next_ / leaf_members, open_);
  Node total = tree.take_total();
  total.resize(groups_);
  return total;
}

void GroupedMoments::save(StateWriter& state) const {
  state.put(next_);
  state.put(open_);
  save_nodes(leaves_, state, [&](const Node& node) { state.put(node); });
}

void GroupedMoments::absorb(StateReader& state) {
  const long next = state.get<long>();
  state.require(next >= next_ && open_.empty(), "groups of the members that come next");
  open_ = state.get_all<Moments>();
  state.require(open_.empty() || open_.size() == groups_, "as many groups");
  load_nodes(state, [&](int level, long index) {
    Node node = state.get_all<Moments>();
    state.require(node.size() == groups_, "as many groups");
    leaves_.add(level, index, std::move(node));
  });
  next_ = next;
}

double GroupedMoments::bytes(std::size_t groups, double levels) {
  const double node = sizeof(Node) + 2 * sizeof(long) + static_cast<double>(groups * sizeof(Moments));
  return sizeof(GroupedMoments) + node * (2 * levels + 1);
}

}  // namespace kalaba
