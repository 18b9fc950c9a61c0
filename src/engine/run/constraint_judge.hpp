#pragma once

#include <string>
#include <vector>

#include "backend/reference/judge.hpp"
#include "engine/run/member_model.hpp"
#include "kalaba/run.hpp"
#include "kalaba/state.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Judges whether the constraints of members are met, at the start and at saved times, against the sizes of the terms
/// that they are summed from. The backends' observed violations tell which members need a look; those are evaluated by
/// the reference's model. Finds starts where a backend's projection found none.
class ConstraintJudge {
 public:
  /// Judges nothing where the system has no constraints to be met: none, a servo's, a swarm's.
  ConstraintJudge(const System& system, const MemberModel& model, const Options& options);

  bool any() const { return any_; }
  /// Whether starts are to be put on the constraints.
  bool assembles() const { return any() && projects_; }

  /// Begins a block: its members as they start, their violations as observed.
  void begin(const Block& block, const std::vector<double>& violation);
  /// Members of the block that no projection may leave as they are: not on their constraints, or without a start.
  std::vector<long> unassembled(const Block& block, const std::vector<double>& violation);
  /// Replaces the starts of these members of a block as it was drawn by starts that meet the constraints. Marks those
  /// for which it finds none, and those that are hopeless, as not_assembled.
  void assemble(Block& block, const std::vector<long>& members, const std::vector<long>& hopeless);
  /// Likewise for members that a projection moved far; where it finds no start they stay as drawn.
  void assemble_closer(Block& block, const std::vector<long>& members);
  /// Constraint and gap of the first member that has no start, or was off its constraints; empty where there is none.
  const std::string& first_failure() const { return first_failure_; }

  /// Whether a member that starts at these coordinates and rates, of the block's extents, is off its constraints.
  bool is_off(const Block& block, const std::vector<double>& q, const std::vector<double>& w, long member) const;

  /// Looks at the members at a saved time; the observation has q, w and the violation.
  void take(const Observation& observed, double time, const Block& block);
  /// Marks the members of a finished block that were off their constraints at a saved time.
  void mark(Block& block) const;
  /// Adds the members that start off their constraints, as they were asked to.
  void add_to(Summary& summary, const Block& block) const;

  void save(StateWriter& state) const;
  void restore(StateReader& state);

 private:
  std::string row_name(int row) const;
  std::string gap_text(const reference::Gap& gap, const char* is) const;

  const SystemInfo& info_;
  Method method_;
  double start_time_;
  bool projects_;  ///< starts
  bool derives_;   ///< sensitivities, which a search does not carry along
  int threads_;
  bool any_ = false;
  const MemberModel& model_;
  reference::Allowance allowance_;
  double clear_share_ = 0;
  double unseen_ = 0;  ///< violations up to this need no look, whatever the member
  std::string first_failure_;
  std::vector<double> passed_;    ///< [member], violations up to this need no look
  std::vector<double> violated_;  ///< [member], first saved time at which it was off, s; NaN
  std::vector<double> off_;       ///< [member], share of the allowance at the start, where above 1; else 0
};

}  // namespace kalaba
