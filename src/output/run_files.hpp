#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kalaba/statistics.hpp"
#include "output/checkpoint.hpp"
#include "output/run_lock.hpp"

namespace kalaba {

/// The files of a run, as one sink that can be gone on with: after completed blocks, and within those of a swarm, it
/// writes a checkpoint, as often as costs a hundredth of the time. A run that ends without finish leaves the files and
/// the checkpoint where there is something to go on with, and nothing otherwise.
class RunFiles final : public Sink, public ReducedSink, public MidwaySink {
 public:
  /// `lock` is that of the path. With a checkpoint it goes on from there. Throws as open_outputs does.
  RunFiles(std::unique_ptr<RunLock> lock, const std::string& path, const Provenance& provenance, const Options& options,
           std::optional<Checkpoint> resumed);
  ~RunFiles() override;

  /// Of the run that it goes on with; all zero otherwise.
  const Summary& before() const { return checkpoint_.summary; }
  /// Whether there is something to resume.
  bool has_progress() const { return checkpoint_.has_progress(); }
  /// Where the files are, that of trajectories first.
  std::vector<std::string> published_paths() const;

  FieldSet always_writes() const override;
  void begin(const RunInfo& run) override;
  void begin_block(const Block& block) override;
  void write(const Frame& frame) override;
  const StatisticsPlan* reduced_plan() const override;
  void write_reduced(ReducedFrame frame) override;
  void end_block(const Block& block) override;
  void block_finished(const Summary& so_far) override;
  const Midway* midway() const override { return checkpoint_.midway ? &*checkpoint_.midway : nullptr; }
  bool keeps_midway() const override;
  bool wants_midway() const override;
  void save_midway(const Summary& so_far, Midway place) override { save(so_far, std::move(place)); }
  void finish(const Summary& summary) override;

 private:
  using Clock = std::chrono::steady_clock;

  void save(const Summary& so_far, std::optional<Midway> midway = std::nullopt);

  std::unique_ptr<RunLock> lock_;  // the last to go
  std::string path_;
  std::vector<std::unique_ptr<FileSink>> sinks_;
  Checkpoint checkpoint_;  // the last one
  bool resumes_;
  bool finished_ = false;
  Clock::time_point saved_;    // when
  Clock::duration cost_ = {};  // of it
};

/// For a process that ends without its destructors: removes what a run of this output has begun to write, where no
/// block is complete.
void remove_without_progress(const std::string& path, const Options& options);

}  // namespace kalaba
