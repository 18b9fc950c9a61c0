#pragma once

#include <utility>
#include <vector>

#include "kalaba/state.hpp"

namespace kalaba {

/// Combines the leaves of an ensemble in the binary tree over their indices:
///
///     level 2:           0 ...
///     level 1:     0           1 ...
///     level 0:  0     1     2     3 ...
///
/// A node is merge(left, right, index) of its two children, or its only child where the other is empty and was not
/// added. So nodes and total depend on the leaves alone, whatever pieces they come in. Holds at most one node a level.
///
/// The tree of a part of an ensemble, from leaf `first` on, makes no node that has leaves before it: those that wait
/// for them stay open, so that adding the open nodes of one part after the other gives the tree of all. It holds at
/// most two nodes a level.
template <class Node, class Merge>
class LeafTree {
 public:
  explicit LeafTree(Merge merge = {}, long first = 0) : merge_(std::move(merge)), first_(first) {}

  /// Adds node `index` of a level: a leaf, or a node merged elsewhere. Nodes must be in the order of their members.
  void add(int level, long index, Node node) {
    while (!open_.empty() && !is_below_parent_of_last(level, index) && is_parent_of_last_inside()) raise_last();
    open_.push_back({level, index, std::move(node)});
    merge_siblings();
  }

  /// Calls work(level, index, node) for the nodes of all leaves so far, in the order of their members.
  template <class Work>
  void for_nodes(const Work& work) const {
    for (const Place& place : open_) work(place.level, place.index, place.node);
  }

  /// Returns the node of all leaves so far; an empty one if there are none. Ends the tree.
  Node take_total() {
    if (open_.empty()) return {};
    while (open_.size() > 1) {
      if (open_.front().level < open_.back().level) {
        raise_first();  // in a part of the ensemble: the sibling that it waits for will not be added
      } else {
        raise_last();
      }
    }
    return std::move(open_.back().node);
  }

 private:
  struct Place {
    int level;
    long index;
    Node node;
  };

  bool is_below_parent_of_last(int level, long index) const {
    const int up = open_.back().level + 1 - level;
    return up > 0 && index >> up == open_.back().index >> 1;
  }

  bool is_parent_of_last_inside() const { return (open_.back().index >> 1) << (open_.back().level + 1) >= first_; }

  /// Replaces the last node by its parent: its sibling is empty, or is the node before it.
  void raise_last() {
    ++open_.back().level;
    open_.back().index >>= 1;
    merge_siblings();
  }

  void raise_first() {
    Place& left = open_[0];
    const Place& right = open_[1];
    ++left.level;
    left.index >>= 1;
    if (left.level != right.level || left.index + 1 != right.index || left.index % 2 != 0) return;
    ++left.level;
    left.index >>= 1;
    left.node = merge_(left.node, right.node, left.index);
    open_.erase(open_.begin() + 1);
  }

  void merge_siblings() {
    while (open_.size() > 1) {
      const Place& right = open_.back();
      Place& left = open_[open_.size() - 2];
      if (left.level != right.level || left.index + 1 != right.index || left.index % 2 != 0) return;
      ++left.level;
      left.index >>= 1;
      left.node = merge_(left.node, right.node, left.index);
      open_.pop_back();
    }
  }

  Merge merge_;
  long first_;
  std::vector<Place> open_;  // left children at decreasing levels, after those that wait for leaves before first_
};

/// Saves the nodes of a tree, each by put(node).
template <class Node, class Merge, class Put>
void save_nodes(const LeafTree<Node, Merge>& tree, StateWriter& state, const Put& put) {
  long nodes = 0;
  tree.for_nodes([&](int, long, const Node&) { ++nodes; });
  state.put(nodes);
  tree.for_nodes([&](int level, long index, const Node& node) {
    state.put(level);
    state.put(index);
    put(node);
  });
}

/// Restores the saved nodes: calls add(level, index), which reads each node.
template <class Add>
void load_nodes(StateReader& state, const Add& add) {
  for (long nodes = state.get<long>(); nodes > 0; --nodes) {
    const int level = state.get<int>();
    add(level, state.get<long>());
  }
}

}  // namespace kalaba
