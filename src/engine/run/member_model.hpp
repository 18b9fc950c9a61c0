#pragma once

#include <memory>
#include <mutex>

#include "backend/reference/model.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// The model that the reference reads of a system, for the engine to evaluate at single members; made when first asked
/// for, by any thread.
class MemberModel {
 public:
  MemberModel(const System& system, const Options& options) : system_(system), method_(options.method) {}

  /// Whether there is one: not of swarms.
  bool exists() const { return system_.reference != nullptr && system_.info.agents == 0; }
  const reference::MechanicalModel& operator()() const;

 private:
  const System& system_;
  Method method_;
  mutable std::once_flag made_;
  mutable std::unique_ptr<Runner> runner_;  ///< owns the model
  mutable const reference::MechanicalModel* model_ = nullptr;
};

/// A member of a block at these coordinates and rates, [component][block.stride].
reference::Instant member_instant(const Block& block, const double* q, const double* w, long member, double time);

}  // namespace kalaba
