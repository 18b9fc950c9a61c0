#pragma once

#include <vector>

#include "kalaba/run.hpp"
#include "kalaba/state.hpp"

namespace kalaba {

/// Lyapunov exponents of a block's members, by the method of [BGGS80] and [SN79]: at every saved time the columns of
/// sensitivities are orthonormalised, and the logarithms of their growth are summed. The norm is the Euclidean norm of
/// the numbers q and w without scaling.
class LyapunovExponents {
 public:
  LyapunovExponents(const SystemInfo& system, const Options& options);

  bool requested() const { return columns_ > 0; }
  /// Fields of an observation that `begin` and `take` read.
  static constexpr FieldSet observed = {Field::q_sensitivity, Field::w_sensitivity};

  /// Reads a block that has just started: its projected columns span directions that the constraints allow. Stores an
  /// orthonormal basis of that span; it may have fewer columns, and the remaining columns are zero from then on.
  void begin(const Observation& start, Block& block, Runner& runner);
  /// Call at a saved time. Replaces the columns in the observation by the exponents so far.
  void take(Observation& seen, double time, Block& block, Runner& runner);
  /// Adds a complete block.
  void add_to(Summary& summary, const Block& block) const;

  void save(StateWriter& state) const;
  void restore(StateReader& state);

 private:
  template <class Work>
  void combine(const Observation& seen, Block& block, Runner& runner, const Work& work) const;
  double& growth(long column, long member) { return growth_[static_cast<std::size_t>(column * members_ + member)]; }
  double growth(long column, long member) const {
    return growth_[static_cast<std::size_t>(column * members_ + member)];
  }
  long directions_of(long member) const;
  std::vector<double> exponents_of(long member) const;
  bool outgrows_steps(const Block& block, long member) const;
  void write(const Block& block, Observation& seen) const;

  long columns_;
  long coordinates_;
  long rates_;
  int threads_;
  double start_;      ///< s
  double tolerance_;  ///< columns whose orthogonal part is a smaller share of the longest are dependent
  double limit_;      ///< for the ratio of the directions' growth between two saved times
  double time_;       ///< s, last taken
  long members_ = 0;
  std::vector<double> growth_;  ///< [column][member]: its logarithm since the start; NaN: no direction
  std::vector<double> apart_;   ///< [member]: largest ratio of the directions' growth
};

}  // namespace kalaba
