#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backend/device_runner.hpp"
#include "kalaba/run.hpp"

namespace kalaba {

/// Frames of a run that needs only statistics, with a runner that reduces them itself.
class FrameReduction {
 public:
  /// Returns null if a sink needs members, the runner does not reduce, or the members do not form whole leaves: they
  /// start with the ensemble's `first`, at most `at_once` in a block. Call after the sinks' begin and before the
  /// runner's reserve.
  static std::unique_ptr<FrameReduction> offered(Runner& runner, std::span<Sink* const> sinks, FieldSet fields,
                                                 long first, long at_once, long members);

  /// Members to hold at the same time: whole leaves of them, or all.
  long at_once() const { return at_once_; }
  /// Returns the reduction of the last requested observation.
  ReducedObservation take(long frame) const;
  void write(const ReducedObservation& taken) const;

 private:
  FrameReduction(DeviceRunner& runner, std::vector<ReducedSink*> sinks, long at_once)
      : runner_(runner), sinks_(std::move(sinks)), at_once_(at_once) {}

  DeviceRunner& runner_;
  std::vector<ReducedSink*> sinks_;
  long at_once_;
};

}  // namespace kalaba
