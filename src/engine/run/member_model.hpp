#pragma once

#include <memory>
#include <mutex>

#include "backend/reference/model.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// The reference's model of a system, with which the engine evaluates single members. Created on first use;
/// thread-safe.
class MemberModel {
 public:
  MemberModel(const System& system, const Options& options) : system_(system), method_(options.method) {}

  /// Returns true if there is such a model; swarms have none.
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
reference::Instant member_instant(const Block& block, const std::vector<double>& q, const std::vector<double>& w,
                                  long member, double time);

}  // namespace kalaba
