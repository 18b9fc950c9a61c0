#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/statistics/leaf_tree.hpp"
#include "kalaba/core/base/sample.hpp"
#include "kalaba/state.hpp"

namespace kalaba {

/// A sample and its numbers, ascending.
struct SampleNode {
  Sample sample;
  std::vector<double> values;
};

/// Quantiles of one number of every member, bit-identical for every division of the members into pieces.
///
/// Up to 16 `kept` numbers that count are stored, and their quantiles are exact: interpolated linearly, as in NumPy.
/// Beyond that, every `kept` members form a sorted leaf of a tree in which two samples of `kept` numbers are merged to
/// one by leaving out every other number (Munro and Paterson 1980; Manku, Rajagopalan and Lindsay 1998). The error has
/// a strict bound: the result for rank r has a rank within rank_error of r. If all N members count, rank_error is at
/// most (log2(N / kept) / 4 + 2) / kept of N; otherwise it is accumulated with the merges.
///
/// Memory: `kept` doubles for each of 17 leaves, and for each of log2(members / kept) levels.
class QuantileSketch {
 public:
  /// Accepts members from `first` on, a multiple of `kept`, which is a power of two.
  explicit QuantileSketch(long kept, long first = 0) : kept_(kept), next_(first), tree_(Merge{kept}, first / kept) {}

  static constexpr long whole_leaves = 16;

  long members() const { return next_; }
  /// Adds the next members. Numbers that are not finite do not count.
  void add(std::span<const double> values);
  /// Adds the next node of the tree, merged elsewhere: node `index` of a level represents the members from index * kept
  /// * 2^level on. Nodes in which no member counts may be omitted.
  /// Throws Error if the node overlaps members that were added before.
  void add_node(int level, long index, SampleNode node);
  /// Skips members up to this one, none of which counts, after nodes that ended before or with it.
  void skip_to(long member) { next_ = member; }

  void save(StateWriter& state) const;
  /// Adds the members of a saved sketch, which follow the present ones. Throws Error(file_error).
  void absorb(StateReader& state);

  struct Quantiles {
    std::vector<double> values;  ///< one per share, NaN if no member counts
    double count = 0;            ///< members that count
    double rank_error = 0;       ///< bound of the error of a rank, in members
  };
  /// Returns the quantiles at shares in 0 ... 1.
  Quantiles quantiles(std::span<const double> shares) const;

 private:
  struct Merge {
    long kept;
    SampleNode operator()(const SampleNode& left, const SampleNode& right, long index) const;
  };
  struct WholeLeaf {
    long index;
    std::size_t size;
  };
  using Tree = LeafTree<SampleNode, Merge>;

  bool fit_whole(const std::vector<double>& values) const;
  void close_leaf(long index, const std::vector<double>& values);
  void add_to_tree(int level, long index, SampleNode node);
  void move_whole_leaves_to(Tree& tree) const;
  std::vector<SampleNode> samples() const;

  long kept_;
  long next_;
  bool is_whole_ = true;
  std::vector<double> open_;             // of the incomplete leaf, those that count
  std::vector<double> whole_;            // likewise of every leaf before, as long as all are stored
  std::vector<WholeLeaf> whole_leaves_;  // in which members count
  Tree tree_;
};

}  // namespace kalaba
