#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "engine/statistics/leaf_tree.hpp"
#include "kalaba/core/base/moments.hpp"
#include "kalaba/state.hpp"

namespace kalaba {

/// Sums of one leaf so far.
struct LeafSums {
  double count = 0;
  double origin = 0;  ///< the first number that counts
  double least = 0;
  double greatest = 0;
  std::array<double, leaf_lanes> sums = {};     ///< [lane], of value - origin
  std::array<double, leaf_lanes> squares = {};  ///< [lane]

  /// Adds the numbers of members `place`, place + 1, ... of the leaf.
  void add(std::span<const double> values, std::size_t place);
  Moments moments() const;

 private:
  void add_rows(const double* values, std::size_t rows);
  void add_one(double value, std::size_t place);
};

/// Moments of one number of every member, bit-identical for every division of the members into pieces.
class MomentsAccumulator {
 public:
  /// Accepts members from `first` on, a multiple of leaf_members.
  explicit MomentsAccumulator(long first = 0) : first_(first), next_(first), leaves_({}, first / leaf_members) {}

  /// Number of members that were added.
  long members() const { return next_; }
  /// Adds the next members. Numbers that are not finite do not count.
  void add(std::span<const double> values);
  /// Adds the next leaf, already summed: `members` of them, fewer than leaf_members only at the end. Throws Error if
  /// the members so far are not whole leaves.
  void add_leaf(const Moments& leaf, long members);
  Moments total() const;

  void save(StateWriter& state) const;
  /// Adds the members of a saved accumulator, which follow the present ones. Throws Error(file_error).
  void absorb(StateReader& state);

 private:
  struct Merge {
    Moments operator()(const Moments& left, const Moments& right, long /*index*/) const { return merged(left, right); }
  };

  long first_;
  long next_;
  std::unique_ptr<LeafSums> open_;  // of an incomplete leaf
  LeafTree<Moments, Merge> leaves_;
};

}  // namespace kalaba
