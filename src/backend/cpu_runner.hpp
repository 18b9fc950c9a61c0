#pragma once

#include <memory>
#include <vector>

#include "backend/kept_columns.hpp"
#include "backend/pack_order.hpp"
#include "kalaba/backend/member_functions.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Drives blocks on a CPU: threads, memory between calls, fields. The operations on members are in the functions, which
/// the caller keeps loaded.
class CpuRunner : public Runner {
 public:
  CpuRunner(const MemberFunctions& functions, const Options& options);

  void start(Block& block, double time, bool project) override;
  bool advance(Block& block, const TimeGrid& time, long first_step, long steps) override;
  void pause_on(const int* word) override { pause_ = {word}; }
  void observe(const Block& block, double time, FieldSet fields, Observation& out) override;
  void observe_between(const Block& block, const TimeGrid& time, long step, double t, FieldSet fields,
                       Observation& out) override;
  void combine_columns(Block& block, const std::vector<double>& factors) override;

 private:
  static constexpr long own_rows = 2;  ///< of Block::backend_state, before the rotation: Part::rank and Part::approach

  /// Row of Block::backend_state with the number of steps made by a call that returned early, per member.
  long made_row() const { return own_rows + functions_.rotations + functions_.persistent; }
  PackCopy::RowCounts row_counts(const Block& block) const;
  template <class Work>
  void for_each_range(const Block& block, const Work& work) const;
  long packs_of(const Block& block) const;
  void copy_step_counts(Block& block) const;
  KeptColumns kept_columns() const;
  MemberRows rows_of(const Block& block) const;
  ObservedRows rows_of(const Block& block, FieldSet fields, Observation& out) const;

  MemberFunctions functions_;
  Method method_;
  Watch watch_;
  std::vector<unsigned char> follows_;
  Sensitivities sensitivities_;  ///< refers to follows_
  int threads_;
  PackOrder order_;
  PauseWord pause_;
};

std::unique_ptr<Runner> make_cpu_runner(const MemberFunctions& functions, const Options& options);

}  // namespace kalaba
