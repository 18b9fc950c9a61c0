#pragma once

#include <vector>

#include "kalaba/run.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Sees how far the constraints move starts that were asked for, block by block.
class StartShifts {
 public:
  StartShifts(const System& system, const MemberSource& source, const Options& options);

  /// Whether there is anything to see.
  bool any() const { return !given_.empty(); }
  /// Takes the block as it was drawn.
  void take(const Block& block);
  /// Members of which a given start moved since.
  std::vector<long> moved(const Block& block) const;
  /// Adds what has become of it.
  void add(const Block& block, StartShift& shift) const;

 private:
  /// By how much given start i of a member moved, as a share of its size.
  double shift_of(const Block& block, std::size_t i, long member) const;

  const SystemInfo& info_;
  std::vector<GivenStart> given_;
  double tolerance_;
  std::vector<double> drawn_;  // [given][member]
};

}  // namespace kalaba
