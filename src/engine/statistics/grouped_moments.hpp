#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/statistics/leaf_tree.hpp"
#include "kalaba/core/base/moments.hpp"
#include "kalaba/state.hpp"

namespace kalaba {

/// Moments of one number in each of several groups of members. The result is bit-identical for every division of the
/// members into pieces: within leaves of leaf_members, a group's numbers are added one by one in the order of their
/// members.
class GroupedMoments {
 public:
  /// Accepts members from `first` on, a multiple of leaf_members.
  explicit GroupedMoments(std::size_t groups, long first = 0)
      : groups_(groups), next_(first), leaves_({}, first / leaf_members) {}

  /// Adds the next members, each to the group with its number, or to none if the number is not below `groups`. Numbers
  /// that are not finite do not count.
  void add(std::span<const double> values, std::span<const std::size_t> group_of);
  /// Returns one element per group.
  std::vector<Moments> total() const;

  void save(StateWriter& state) const;
  /// Adds the members of saved groups, which follow the present ones. Throws Error(file_error).
  void absorb(StateReader& state);

  /// Upper bound of the memory, for a tree with this many levels.
  static double bytes(std::size_t groups, double levels);

 private:
  using Node = std::vector<Moments>;  // one per group
  struct Merge {
    Node operator()(const Node& left, const Node& right, long index) const;
  };

  std::size_t groups_;
  long next_;
  Node open_;  // of an incomplete leaf; empty if there is none
  LeafTree<Node, Merge> leaves_;
};

}  // namespace kalaba
