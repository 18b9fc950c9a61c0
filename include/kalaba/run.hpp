#pragma once

#include <array>
#include <functional>
#include <limits>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "kalaba/block.hpp"
#include "kalaba/error.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Where members come from: an ensemble in memory, or a scenario's sampler.
class MemberSource {
 public:
  virtual ~MemberSource() = default;
  virtual long members() const = 0;
  /// Writes parameters, q and w of members block.first … block.first + block.members - 1. May be called from one
  /// thread at a time, for any block, in any order; a member's values depend on its index alone.
  virtual void fill(Block& block) const = 0;
};

/// Where a run's numbers come from; written into every output.
struct RunInfo {
  const SystemInfo* system = nullptr;
  Options options;
  long members = 0;           ///< that the run integrates
  long first_member = 0;      ///< index of its first one; not 0 for a part of an ensemble
  long ensemble_members = 0;  ///< of which it is a part; 0: it is the whole
  std::vector<double> times;  ///< saved times, s
  std::string device;         ///< "cpu: 2 threads, 8 lanes (avx512)", ...
};

/// One saved instant of one block.
struct Frame {
  long index = 0;      ///< into RunInfo::times
  double time = 0;     ///< s
  const Block& block;  ///< which members; its state may already be a later one
  const Observation& observation;

  /// [component][block.stride]; only the first block.members of each row count.
  std::span<const double> values(Field field) const { return observation.values[static_cast<std::size_t>(field)]; }
};

/// What became of one event in a run.
struct EventOutcome {
  std::string name;
  EventAction action = EventAction::stop;
  long members = 0;                                            ///< in which it happened
  double crossings = 0;                                        ///< in all of them
  double earliest = std::numeric_limits<double>::quiet_NaN();  ///< of the members' first ones, s; NaN: none
  double latest = std::numeric_limits<double>::quiet_NaN();    ///< likewise
};

/// What a run came to.
struct Summary {
  long members = 0;
  long finished_members = 0;                      ///< of blocks that were completed
  double member_steps = 0;                        ///< integrator steps, all members together
  double rejected_steps = 0;                      ///< tried and made again shorter, by an adaptive integrator
  double seconds = 0;                             ///< wall time
  double compute_seconds = 0;                     ///< of it inside the backend
  std::array<long, status_count> by_status = {};  ///< members by final status
  long rank_changes = 0;                          ///< members whose rank of A changed along the way
  std::vector<EventOutcome> events;               ///< in the order of Options::events
  double worst_violation = 0;                     ///< max |phi|, |phi'|, |psi| over members and saved times
  double worst_residual = 0;                      ///< max |A w' - b| likewise
  bool interrupted = false;
  long first_failed = -1;     ///< the first member that failed, of those integrated; -1: none
  std::string first_failure;  ///< what the first failed member failed of, where its backend says so
  std::string device;

  long failed() const;
};

/// Which members a run integrates. Whatever the part, a member is the same.
struct RunPart {
  long first = 0;       ///< of the source's members
  long members = -1;    ///< -1: all from the first on
  Summary before = {};  ///< of a run of this part that was broken off: its finished_members are not integrated again
};

/// Receives a run. Calls come from one thread: begin, then for each block begin_block, write (a frame, in time order)
/// …, end_block and, where the block was completed, block_finished; and at last finish. If finish is never called (an
/// exception), nothing may appear under the final name.
class Sink {
 public:
  virtual ~Sink() = default;
  /// Fields that it writes though nobody asked for them.
  virtual FieldSet always_writes() const { return {}; }
  virtual void begin(const RunInfo& run) = 0;
  /// Members as they were drawn: nothing is projected or integrated yet.
  virtual void begin_block(const Block& /*block*/) {}
  virtual void write(const Frame& frame) = 0;
  virtual void end_block(const Block& block) = 0;
  /// What the run has come to with the blocks so far, all of them complete.
  virtual void block_finished(const Summary& /*so_far*/) {}
  virtual void finish(const Summary& summary) = 0;
};

struct Progress {
  double member_steps_done = 0;
  double member_steps_total = 0;
  double seconds = 0;
};

/// Integrates every member of `source` and streams the saved frames to the sinks, block by block. A stop request is
/// honoured at the next saved time: the members of unfinished blocks get Status::interrupted.
/// Throws Error on bad options, an absent backend, or a sink's failure.
Summary run(const System& system, const MemberSource& source, const Options& options, std::span<Sink* const> sinks,
            const std::function<void(const Progress&)>& progress = {}, std::stop_token stop = {}, RunPart part = {});

/// Of a run in this precision: in single precision the rank tolerance is 1e-4, as singular values are good to some 1e-6
/// of the largest.
Options default_options(const System& system, Precision precision);

/// The saved times of a run: save_at, or the start, every save_every steps, and the end (alone where save_every is 0).
std::vector<double> saved_times(const Options& options);

}  // namespace kalaba
