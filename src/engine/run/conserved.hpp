#pragma once

#include <vector>

#include "engine/run/member_model.hpp"
#include "kalaba/run.hpp"
#include "kalaba/state.hpp"

namespace kalaba {

/// Judges whether the members of a run conserve their energy, if the system conserves it, and every invariant that the
/// system declares constant or zero. Energies are judged relative to the largest kinetic energy of the member at the
/// saved times and shortly before them, invariants relative to the terms that they are summed from, so that the result
/// does not depend on units or on an offset of the potential.
class ConservedNumbers {
 public:
  ConservedNumbers(const System& system, const MemberModel& model, const Options& options);

  bool any() const { return !numbers_.empty(); }
  /// Fields that it needs in every observation: empty if nothing is conserved.
  FieldSet fields() const { return fields_; }

  /// Begins a block that has just started.
  void begin(const Observation& start, const Block& block);
  /// Reads the members at a saved time. A member that is no longer ok keeps its earlier values.
  void take(const Observation& observed, double time, const Block& block);
  /// Adds a complete block.
  void add_to(Summary& summary, const Block& block) const;

  void save(StateWriter& state) const;
  void restore(StateReader& state);

 private:
  /// One number of every member.
  struct Watched {
    std::vector<double> first;
    std::vector<double> worst;    ///< largest change
    std::vector<double> allowed;  ///< change up to which no warning is given
    std::vector<double> looks;    ///< evaluations of sizes so far
  };

  double now(const Observation& observed, std::size_t number, std::size_t member, long stride) const;
  /// Allowed change of a number at x; of an energy without its rounding errors if that is already at least `needed`.
  double allowance(std::size_t number, const reference::Instant& x, double needed) const;
  bool is_energy(std::size_t number) const { return energy_ && number == 0; }
  std::size_t invariant_of(std::size_t number) const { return invariants_[number - (energy_ ? 1 : 0)]; }

  const SystemInfo& info_;
  bool energy_ = false;
  std::vector<std::size_t> invariants_;  ///< those declared constant or zero
  FieldSet fields_;
  int threads_;
  Method method_;
  double start_;     ///< of the run, s
  double share_;     ///< allowed loss, as a share of the size
  double rounding_;  ///< rounding errors in units of their sizes
  const MemberModel& model_;
  std::vector<Watched> numbers_;  ///< the energy first, if it is judged
};

}  // namespace kalaba
