#pragma once

#include <string>
#include <vector>

#include "backend/reference/judge.hpp"
#include "engine/run/member_model.hpp"
#include "kalaba/run.hpp"
#include "kalaba/state.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Judges whether the constraints of members hold, at the start and at saved times, relative to the sizes of the terms
/// that they are summed from. Members whose observed violation is large are evaluated again with the reference's model.
/// Computes starts for members whose projection by the backend failed.
class ConstraintJudge {
 public:
  /// Judges nothing if the system has no constraints to satisfy: no constraints at all, those of a servo, or those of a
  /// swarm.
  ConstraintJudge(const System& system, const MemberModel& model, const Options& options);

  bool any() const { return any_; }
  /// Returns true if starts are to be put on the constraints.
  bool assembles() const { return any() && projects_; }

  /// Begins a block: its members as they start, their violations as observed.
  void begin(const Block& block, const std::vector<double>& violation);
  /// Members of the block for which the projection failed: they are off their constraints, or without a start.
  std::vector<long> unassembled(const Block& block, const std::vector<double>& violation);
  /// Replaces the starts of these members of a block as drawn by starts that satisfy the constraints. Marks the members
  /// for which it finds none, and the `hopeless` ones, as not_assembled.
  void assemble(Block& block, const std::vector<long>& members, const std::vector<long>& hopeless);
  /// As assemble, for members that a projection moved far; members without a closer start stay as drawn.
  void assemble_closer(Block& block, const std::vector<long>& members);
  /// Constraint and gap of a member of the block that was marked; empty for other members, and for those without a
  /// start that follow the first one.
  std::string reason(const Block& block, long member) const;

  /// Returns true if a member with these start coordinates and rates, of the block's extents, is off its constraints.
  bool is_off(const Block& block, const std::vector<double>& q, const std::vector<double>& w, long member) const;

  /// Fields that `take` requires.
  FieldSet fields() const;
  /// Checks the members at a saved time.
  void take(const Observation& observed, double time, const Block& block);
  /// Marks the members of a finished block that were off their constraints at a saved time.
  void mark(Block& block) const;
  /// Adds the number of members that start off their constraints because the options do not project them.
  void add_starts_to(Summary& summary, const Block& block) const;
  /// Adds the members of a finished block that drift off their constraints, or whose constraints are nearly dependent.
  void add_to(Summary& summary, const Block& block) const;

  void save(StateWriter& state) const;
  void restore(StateReader& state);

 private:
  void note_dependence(const Observation& observed, double time, const Block& block);
  /// Contact with the deepest gap below 0 at a start; empty if there is none.
  std::string contact_text(const reference::Instant& x) const;
  std::string row_name(int row) const;
  std::string gap_text(const reference::Gap& gap, const char* is) const;

  const SystemInfo& info_;
  Method method_;
  double start_time_;
  bool projects_;  ///< starts
  bool derives_;   ///< sensitivities, which a search does not propagate
  int threads_;
  bool any_ = false;
  const MemberModel& model_;
  reference::Allowance allowance_;
  double clear_share_ = 0;
  bool drifts_ = false;         ///< the method does not project
  bool compares_rows_ = false;  ///< there are several constraints
  double unseen_ = 0;           ///< violations up to this are not evaluated for any member
  FirstFailure unassembled_;    ///< first member without a start
  ConstraintNotes notes_;
  double reported_ = 0;           ///< share of the allowance above which a drift is reported
  double farthest_ = 0;           ///< largest share of the allowance at a saved time, of members that did not fail
  std::vector<double> passed_;    ///< [member], violations up to this are not evaluated
  std::vector<double> violated_;  ///< [member], first saved time at which it was off, s; NaN
  std::vector<double> off_row_;   ///< [member], row of its gap at that time
  std::vector<double> off_by_;    ///< [member], this gap
  std::vector<double> off_;       ///< [member], share of the allowance at the start if above 1; else 0
  std::vector<double> drift_;     ///< [member], largest evaluated share of the allowance at a saved time
  std::vector<double> near_;      ///< [member], saved times in a row with nearly dependent constraints; 2 stays
};

}  // namespace kalaba
