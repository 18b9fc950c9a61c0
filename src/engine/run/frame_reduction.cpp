#include "engine/run/frame_reduction.hpp"

namespace kalaba {

std::unique_ptr<FrameReduction> FrameReduction::offered(Runner& runner, std::span<Sink* const> sinks, FieldSet fields,
                                                        long first, long at_once, long members) {
  auto* const reducing = dynamic_cast<DeviceRunner*>(&runner);
  if (reducing == nullptr || sinks.empty()) return nullptr;
  if (first % leaf_members != 0 || (at_once < members && at_once < leaf_members)) return nullptr;
  std::vector<ReducedSink*> takers;
  for (Sink* sink : sinks) {
    auto* const taker = dynamic_cast<ReducedSink*>(sink);
    if (taker == nullptr || taker->reduced_plan() == nullptr) return nullptr;
    takers.push_back(taker);
  }
  // All plans are equal, because they come from the same options.
  if (!reducing->begin_reducing(fields, *takers.front()->reduced_plan())) return nullptr;
  const long leaves = at_once < members ? at_once / leaf_members * leaf_members : members;
  return std::unique_ptr<FrameReduction>(new FrameReduction(*reducing, std::move(takers), leaves));
}

ReducedObservation FrameReduction::take(long frame) const {
  ReducedObservation taken = runner_.reduce();
  taken.frame.index = frame;
  return taken;
}

void FrameReduction::write(const ReducedObservation& taken) const {
  for (ReducedSink* sink : sinks_) sink->write_reduced(taken.frame);
}

}  // namespace kalaba
