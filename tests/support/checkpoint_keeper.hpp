#pragma once

#include <array>
#include <map>
#include <vector>

#include "kalaba/block_checkpoint.hpp"
#include "kalaba/run.hpp"

namespace kalaba::test {

/// Stores all checkpoints and all numbers that it receives.
class Keeper final : public Sink, public BlockCheckpointSink {
 public:
  /// `place`: checkpoint from which the run continues.
  explicit Keeper(const BlockCheckpoint* place = nullptr) : place_(place) {}
  void begin(const RunInfo&) override {}
  void write(const Frame& frame) override { frames[frame.index] = frame.observation.values; }
  void end_block(const Block& block) override { end = {block.q, block.w, block.parameters, block.events}; }
  void finish(const Summary& summary) override { whole = summary; }
  const BlockCheckpoint* block_checkpoint() const override { return place_; }
  bool keeps_block_checkpoints() const override { return true; }
  bool is_block_checkpoint_due() const override { return true; }
  void save_block_checkpoint(const Summary& so_far, BlockCheckpoint place) override {
    places.push_back(std::move(place));
    before.push_back(so_far);
  }

  std::map<long, std::array<std::vector<double>, field_count>> frames;
  std::array<std::vector<double>, 4> end;  ///< coordinates, rates, parameters and rows of the events
  std::vector<BlockCheckpoint> places;
  std::vector<Summary> before;  ///< of each checkpoint
  Summary whole;

 private:
  const BlockCheckpoint* place_;
};

}  // namespace kalaba::test
