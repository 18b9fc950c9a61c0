#pragma once

#include <memory>
#include <vector>

#include "backend/kept_columns.hpp"
#include "kalaba/backend/member_functions.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Drives blocks on a CPU: threads, memory between calls, fields. What it does to members is behind the functions,
/// which the caller keeps loaded.
class CpuRunner : public Runner {
 public:
  CpuRunner(const MemberFunctions& functions, const Options& options);

  void start(Block& block, double time, bool project) override;
  void advance(Block& block, const TimeGrid& time, long first_step, long steps) override;
  void observe(const Block& block, double time, FieldSet fields, Observation& out) override;
  void observe_between(const Block& block, const TimeGrid& time, long step, double t, FieldSet fields,
                       Observation& out) override;
  void combine_columns(Block& block, const std::vector<double>& factors) override;

 private:
  template <class Work>
  void for_each_range(const Block& block, const Work& work) const;
  KeptColumns kept_columns() const;
  MemberRows rows_of(const Block& block) const;
  ObservedRows rows_of(const Block& block, FieldSet fields, Observation& out) const;

  MemberFunctions functions_;
  Method method_;
  Watch watch_;
  std::vector<unsigned char> follows_;
  Sensitivities sensitivities_;  ///< looks at follows_
  int threads_;
};

std::unique_ptr<Runner> make_cpu_runner(const MemberFunctions& functions, const Options& options);

}  // namespace kalaba
