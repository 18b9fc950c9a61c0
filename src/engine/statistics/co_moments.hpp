#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "engine/statistics/leaf_tree.hpp"
#include "kalaba/core/base/moments.hpp"
#include "kalaba/state.hpp"

namespace kalaba {

/// Co-moments of a number with the inputs of its members. If `count` is 0, the other members are meaningless.
struct CoMoments {
  struct Input {
    double mean = 0;
    double squares = 0;  ///< sum of squared deviations from the mean
    double product = 0;  ///< sum of products of this deviation and the number's
  };
  double count = 0;
  double mean = 0;
  double squares = 0;  ///< likewise, for the number
  std::vector<Input> inputs = {};

  /// Pearson's correlation with each input, in -1 ... 1; NaN if either is equal for all members.
  std::vector<double> correlations() const;
};

/// Merges the co-moments of two sets of members (Chan, Golub and LeVeque 1979; Bennett et al. 2009 for the products).
CoMoments merged(const CoMoments& a, const CoMoments& b);

inline constexpr std::size_t co_lanes = 8;
using CoLanes = std::array<double, co_lanes>;

/// Sums of one leaf so far: of differences from the first member that counts, and of their products. Member i belongs
/// to lane i % 8, and each lane sums its members in their order.
struct CoSums {
  struct Input {
    double origin = 0;
    CoLanes sums = {};
    CoLanes squares = {};
    CoLanes products = {};
  };
  double origin = 0;
  CoLanes counts = {};
  CoLanes sums = {};
  CoLanes squares = {};
  std::vector<Input> inputs = {};

  /// Adds members `place`, place + 1, ... of the leaf: their numbers, and one row of numbers for each input.
  void add(std::span<const double> values, std::span<const double* const> rows, std::size_t place);
  CoMoments moments() const;
  double count() const;
};

/// Co-moments of one number of every member with the members' inputs. The result is bit-identical for every division of
/// the members into pieces: sums are taken in leaves of leaf_members, as in MomentsAccumulator.
class CoMomentsAccumulator {
 public:
  /// Accepts members from `first` on, a multiple of leaf_members.
  explicit CoMomentsAccumulator(std::size_t inputs, long first = 0)
      : inputs_(inputs), next_(first), leaves_({}, first / leaf_members) {}

  /// Adds the next members; `inputs` has a row of as many numbers for each input. Numbers that are not finite do not
  /// count; the inputs of those that count must be finite.
  void add(std::span<const double> values, std::vector<const double*> inputs);
  CoMoments total() const;

  void save(StateWriter& state) const;
  /// Adds the members of a saved accumulator, which follow the present ones. Throws Error(file_error).
  void absorb(StateReader& state);

  /// Upper bound of the memory, for a tree with this many levels.
  static double bytes(std::size_t inputs, double levels);

 private:
  struct Merge {
    CoMoments operator()(const CoMoments& left, const CoMoments& right, long /*index*/) const {
      return merged(left, right);
    }
  };

  std::size_t inputs_;
  long next_;
  std::unique_ptr<CoSums> open_;  // of an incomplete leaf
  LeafTree<CoMoments, Merge> leaves_;
};

}  // namespace kalaba
