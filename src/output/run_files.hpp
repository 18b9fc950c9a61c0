#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kalaba/statistics.hpp"
#include "output/base/checkpoint.hpp"
#include "output/durable/run_lock.hpp"

namespace kalaba {

/// Files of a run as one sink that supports resuming: writes checkpoints after completed blocks, and within blocks of a
/// swarm, at a cost of about one hundredth of the time. A run that ends without finish leaves the files and the
/// checkpoint if there is progress to resume from, and no files otherwise.
class RunFiles final : public Sink, public ReducedSink, public BlockCheckpointSink {
 public:
  /// `lock`: that of the path. With a checkpoint the run resumes from it. Throws as open_outputs does.
  RunFiles(std::unique_ptr<RunLock> lock, const std::string& path, const Provenance& provenance, const Options& options,
           std::optional<Checkpoint> resumed);
  ~RunFiles() override;

  /// Summary of the resumed run; all zero otherwise.
  const Summary& before() const { return checkpoint_.summary; }
  /// Returns true if a run has begun or resumed writing.
  bool has_begun() const { return begun_; }
  /// Makes finish fail if a file of a final name exists; both files are then kept.
  void leave_existing();
  /// Returns true if the checkpoint and the unfinished files still exist as saved, so that the run can be resumed.
  bool is_intact() const;
  /// Returns true if there is progress to resume from.
  bool has_progress() const { return checkpoint_.has_progress(); }
  /// Paths of the files, that of trajectories first.
  std::vector<std::string> published_paths() const;

  void begin(const RunInfo& run) override;
  void begin_block(const Block& block) override;
  void begin_motion(const Block& block) override;
  void write(const Frame& frame) override;
  const StatisticsPlan* reduced_plan() const override;
  void write_reduced(ReducedFrame frame) override;
  void end_block(const Block& block) override;
  void block_finished(const Summary& so_far) override;
  const BlockCheckpoint* block_checkpoint() const override {
    return checkpoint_.block_checkpoint ? &*checkpoint_.block_checkpoint : nullptr;
  }
  bool keeps_block_checkpoints() const override;
  bool is_block_checkpoint_due() const override;
  void save_block_checkpoint(const Summary& so_far, BlockCheckpoint place) override { save(so_far, std::move(place)); }
  void finish(const Summary& summary) override;

 private:
  using Clock = std::chrono::steady_clock;

  void save(const Summary& so_far, std::optional<BlockCheckpoint> block_checkpoint = std::nullopt);

  std::unique_ptr<RunLock> lock_;  // released last
  std::string path_;
  std::vector<std::unique_ptr<FileSink>> sinks_;
  Checkpoint checkpoint_;  // the last one
  bool resumes_;
  bool begun_ = false;
  bool finished_ = false;
  Clock::time_point saved_;    // time of it
  Clock::duration cost_ = {};  // its duration
};

/// Removes the files that a run of this output has begun, if no block is complete. For a process that ends without
/// destructors.
void remove_without_progress(const std::string& path, const Options& options);

}  // namespace kalaba
