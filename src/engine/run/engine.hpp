#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include <algorithm>
#include "engine/run/conserved.hpp"
#include "engine/run/constraint_judge.hpp"
#include "engine/run/frame_reduction.hpp"
#include "engine/run/lyapunov_exponents.hpp"
#include "engine/run/member_model.hpp"
#include "engine/run/pauses.hpp"
#include "engine/run/saved_instants.hpp"
#include "engine/run/start_shifts.hpp"
#include "kalaba/block.hpp"
#include "kalaba/block_checkpoint.hpp"
#include "kalaba/run.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Numbers of steps between checks of progress and stop requests: as many as take a fraction of a second.
class Strides {
 public:
  /// Computes the first stride of a block.
  Strides(const SystemInfo& info, const Block& block) {
    constexpr double enough = 1e6;  // steps of members, or of agents
    const double members = static_cast<double>(info.copies()) * static_cast<double>(block.members);
    steps_ = std::max(static_cast<long>(enough / members), 1L);
  }

  long next(long left) const { return std::min(steps_, left); }
  /// Records the time that `steps` took, in seconds.
  void took(long steps, double seconds) {
    constexpr double long_enough = 0.1;
    if (steps == steps_ && seconds < long_enough) steps_ *= 2;
    if (seconds > 4 * long_enough) steps_ = std::max(steps_ / 2, 1L);
  }

 private:
  long steps_ = 1;
};

/// State of one run.
class Engine {
 public:
  Engine(const System& system, const MemberSource& source, const Options& options, std::span<Sink* const> sinks,
         const std::function<void(const Progress&)>& progress, std::stop_token stop, const RunPart& part);
  /// Runs all its blocks, one after another; `begun` receives the chosen settings before the first.
  Summary run(const std::function<void(const RunInfo&)>& begun);

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  /// Adds the first members of a block that failed, by status, and their reasons.
  void note_failures(const Block& block, Summary& summary) const;
  std::string failure_reason_of(const Block& block, long member) const;
  void finish();
  /// Handles the failure of a device: keeps the finished members, as after an interrupt.
  void keep_finished_members();
  /// For a run on the CPU, whose block in host memory is always current: finds the checkpoint to continue from, and the
  /// sink that stores new ones.
  void find_block_checkpoint();

  // engine_block.cpp
  /// Returns the first saved time that is left; the block is then at `step`.
  std::size_t begin_block(Block& block, long& step);
  /// Notes the events whose expressions are finite. If observations are reduced and an expression uses one, all events
  /// count as finite.
  void note_events(const Block& block, double time);
  /// All fields that an expression may use, so that the rows are in the order of WatchedRows.
  FieldSet watched_fields() const;
  /// Puts the members of a block on their constraints if the options request it, and judges whether they are on them.
  void start(Block& block);
  /// Finds other starts for the members that the backend could not put on their constraints.
  template <class StartAll>
  void assemble(Block& block, const StartAll& start_all);
  /// Violations of the members at their start.
  const std::vector<double>& observe_violation(const Block& block);
  /// Draws the starts of a block again, including the starts that are held.
  void draw_again(Block& block);
  /// Counts the members of a finished block whose derivatives are lost, unless the members stay on a device.
  void count_derivatives(const Block& block);
  /// Writes each frame while the backend may already compute the next.
  void run_block(Block& block);
  /// Advances the block to step `to`, on the way to a frame. Returns false if the run was stopped before.
  bool advance(Block& block, Strides& strides, long& step, long to, std::size_t frame);
  /// Makes one call of the runner, interrupted for stop requests, progress and checkpoints; returns false if the run
  /// was stopped.
  bool advance_by(Block& block, long step, long steps, std::size_t frame);
  void keep_if_due(Block& block, long step, std::size_t frame);
  void keep(const Block& block, long step, std::size_t frame);
  /// Violation, residual and conserved quantities are always observed: the summary reports the worst.
  FieldSet observed_fields() const;
  /// Members whose numbers stay on a device are not judged individually.
  bool watches_conserved() const { return conserved_.any() && !reduction_; }
  bool judges_constraints() const { return judge_.any() && !reduction_; }
  void observe(Block& block, std::size_t frame);
  void write_observed(const Block& block);
  void write_reduced(std::size_t frame);
  void report() const;
  double seconds() const { return before_ + seconds_since(begin_); }

  template <class Work>
  void timed(const Work& work) {
    const auto begin = Clock::now();
    backend_failed_ = true;  // unless it returns
    work();
    backend_failed_ = false;
    summary_.compute_seconds += seconds_since(begin);
  }

  const System& system_;
  const MemberSource& source_;
  Options options_;
  std::span<Sink* const> sinks_;
  const std::function<void(const Progress&)>& progress_;
  std::stop_token stop_;
  Pauses pauses_;
  std::vector<Saved> saved_;
  LyapunovExponents exponents_;  ///< of the present block
  std::unique_ptr<Runner> runner_;
  std::unique_ptr<FrameReduction> reduction_;  // null if the members are copied to the host
  Observation observation_;
  MemberModel model_;
  std::vector<long> held_;      ///< members of the present block with held starts
  ConstraintJudge judge_;       ///< of the present block
  ConservedNumbers conserved_;  ///< of the present block
  StartShifts shifts_;
  FieldSet fields_;
  long first_;
  bool is_part_;  // of an ensemble, even if it has all its members
  Summary summary_;
  double grid_steps_ = 0;  ///< of all members
  bool backend_failed_ = false;
  std::optional<std::size_t> observed_;                      ///< frame of the observation, if it is not yet written
  std::unique_ptr<const BlockCheckpoint> block_checkpoint_;  ///< checkpoint from which the first block continues
  BlockCheckpointSink* keeper_ = nullptr;                    ///< stores checkpoints
  double before_ = summary_.seconds;                         ///< s, of the run that was interrupted
  Clock::time_point begin_ = Clock::now();
};

}  // namespace kalaba
