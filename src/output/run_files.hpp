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

/// The files of a run, as one sink that can be gone on with: after completed blocks, and within those of a swarm, it
/// writes a checkpoint, as often as costs a hundredth of the time. A run that ends without finish leaves the files and
/// the checkpoint where there is something to go on with, and nothing otherwise.
class RunFiles final : public Sink, public ReducedSink, public BlockCheckpointSink {
 public:
  /// `lock` is that of the path. With a checkpoint it goes on from there. Throws as open_outputs does.
  RunFiles(std::unique_ptr<RunLock> lock, const std::string& path, const Provenance& provenance, const Options& options,
           std::optional<Checkpoint> resumed);
  ~RunFiles() override;

  /// Of the run that it goes on with; all zero otherwise.
  const Summary& before() const { return checkpoint_.summary; }
  /// Whether a run has begun to write them, or to go on with them.
  bool has_begun() const { return begun_; }
  /// From now on finish fails where a file of a final name is there already, and leaves both.
  void leave_existing();
  /// Whether what was saved is still there, so that the run can be resumed: the checkpoint and the unfinished files.
  bool is_intact() const;
  /// Whether there is something to resume.
  bool has_progress() const { return checkpoint_.has_progress(); }
  /// Where the files are, that of trajectories first.
  std::vector<std::string> published_paths() const;

  FieldSet always_writes() const override;
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
  bool wants_block_checkpoint() const override;
  void save_block_checkpoint(const Summary& so_far, BlockCheckpoint place) override { save(so_far, std::move(place)); }
  void finish(const Summary& summary) override;

 private:
  using Clock = std::chrono::steady_clock;

  void save(const Summary& so_far, std::optional<BlockCheckpoint> block_checkpoint = std::nullopt);

  std::unique_ptr<RunLock> lock_;  // the last to go
  std::string path_;
  std::vector<std::unique_ptr<FileSink>> sinks_;
  Checkpoint checkpoint_;  // the last one
  bool resumes_;
  bool begun_ = false;
  bool finished_ = false;
  Clock::time_point saved_;    // when
  Clock::duration cost_ = {};  // of it
};

/// For a process that ends without its destructors: removes what a run of this output has begun to write, where no
/// block is complete.
void remove_without_progress(const std::string& path, const Options& options);

}  // namespace kalaba
