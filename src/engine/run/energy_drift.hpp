#pragma once

#include <vector>

#include "kalaba/run.hpp"
#include "kalaba/state.hpp"

namespace kalaba {

/// How far the energies of a block's members, of a system that conserves it, are from what they were at the start.
class EnergyDrift {
 public:
  /// The energies of a block that has just started.
  void begin(const Observation& start, long members);
  /// Energies at a later time. Of a member that is no longer ok, what it had before stays.
  void take(const Observation& observed);
  /// Adds a block that is complete.
  void add_to(Summary& summary, const Block& block) const;

  void save(StateWriter& state) const;
  void restore(StateReader& state);

 private:
  std::vector<double> first_;  ///< [member], J
  std::vector<double> worst_;  ///< [member], the largest |E - E(0)|, J
};

}  // namespace kalaba
