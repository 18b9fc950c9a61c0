#pragma once

#include <algorithm>
#include <array>
#include <cmath>
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

/// A variable along which members make a full factorial grid: "parameters.L" or "initial.x", and its points.
struct GridAxis {
  std::string name;
  long points = 1;
};

/// A coordinate or rate whose start was asked for, by a number or a distribution.
struct GivenStart {
  bool is_rate = false;
  int index = 0;        ///< among the coordinates or rates
  bool varies = false;  ///< between members
};

/// Where members come from: an ensemble in memory, or a scenario's sampler.
class MemberSource {
 public:
  virtual ~MemberSource() = default;
  virtual long members() const = 0;
  /// Writes parameters, q and w of members block.first … block.first + block.members - 1. May be called from one
  /// thread at a time, for any block, in any order; a member's values depend on its index alone.
  virtual void fill(Block& block) const = 0;
  /// What of the starts was asked for: a run says how far it had to move that to meet the constraints.
  virtual std::vector<GivenStart> given_starts() const { return {}; }
  /// Whether starts that were not asked for are the system's default start of each member's parameters.
  virtual bool starts_follow_parameters() const { return false; }
  /// Why the first member, of those filled so far, has no start; "" where all have one.
  virtual std::string first_failure() const { return {}; }
};

/// "cpu", "cpu, interpreted", …
std::string backend_text(Backend backend, bool interpreted);

/// Where a run's numbers come from; written into every output.
struct RunInfo {
  const SystemInfo* system = nullptr;
  Options options;
  long members = 0;           ///< that the run integrates
  long first_member = 0;      ///< index of its first one; not 0 for a part of an ensemble
  long ensemble_members = 0;  ///< of which it is a part; 0: it is the whole
  std::vector<double> times;  ///< saved times, s
  std::string device;         ///< "cpu: 2 threads, 8 lanes (avx512)", ...
  std::string note = {};      ///< why `auto` chose this backend, where that is worth a line; else empty
  bool interpreted = false;   ///< the backend cpu interprets the model on packs, with other bits than compiled

  /// What goes on with a run, or makes another part of it, must have the same.
  std::string backend() const { return backend_text(options.backend, interpreted); }
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
  bool was_finite = true;                                      ///< its expression, at the start or end of some member
};

/// How far the projection onto the constraints moved the starts of members.
struct StartShift {
  long members = 0;      ///< in which a coordinate or rate was moved
  double largest = 0;    ///< as a share of its size, or of the largest of the same unit
  std::string variable;  ///< moved so far: the name of a coordinate or rate
  long member = -1;      ///< in which
  double drawn = 0;      ///< from
  double projected = 0;  ///< to
};

/// Changes of the members' energies, where the system conserves it.
struct Drift {
  static constexpr double share = 1e-6;         ///< of the largest kinetic energy: more is too much
  static constexpr double single_share = 1e-3;  ///< in single precision

  double energy = 0;          ///< max |E - E(0)| over members and saved times, J
  double first = 0;           ///< E(0) of that member, J
  long member = -1;           ///< -1: energy was not watched
  long drifted = 0;           ///< members whose energy changed by more than the share
  double relative = 0;        ///< of these the largest change, as a share of the member's kinetic energy
  long relative_member = -1;  ///< whose it is

  bool is_large() const { return drifted > 0; }
};

/// Changes of the invariants that the system declares constant or zero, where they are too large.
struct InvariantDrift {
  long drifted = 0;     ///< invariants of members that changed by more than Drift::share of their terms
  std::string name;     ///< invariant with the largest change, as a share of its terms
  long member = -1;     ///< whose it is
  double first = 0;     ///< its value at the start; 0 of one that is declared zero
  double change = 0;    ///< largest change over saved times
  double relative = 0;  ///< the same as a share of its terms
};

/// The largest Lyapunov exponents of a run's members, up to the last saved time.
struct LyapunovOutcome {
  long members = 0;                                            ///< that have any
  long directions = 0;                                         ///< independent ones, the most of a member
  double least = std::numeric_limits<double>::quiet_NaN();     ///< of the members' largest exponents, 1/s
  double greatest = std::numeric_limits<double>::quiet_NaN();  ///< likewise
  long grown_apart = 0;     ///< members whose directions grew apart further, between two saved times, than digits carry
  long outgrown_steps = 0;  ///< members whose directions grew or shrank by more than e an adaptive step, on average
};

/// What a run came to.
struct Summary {
  long members = 0;
  long finished_members = 0;                          ///< of blocks that were completed
  double member_steps = 0;                            ///< integrator steps, all members together
  double rejected_steps = 0;                          ///< tried and made again shorter, by an adaptive integrator
  double seconds = 0;                                 ///< wall time
  double compute_seconds = 0;                         ///< of it inside the backend
  std::array<long, status_count> by_status = {};      ///< members by final status
  long rank_changes = 0;                              ///< members whose rank of A changed along the way
  long singular_passages = 0;                         ///< members that came near a singular position
  long members_by_svd = 0;                            ///< members of which ldlt left stages to the SVD
  double svd_stages = 0;                              ///< those stages
  PseudoInverse pseudo_inverse = PseudoInverse::svd;  ///< that made the steps; never automatic
  Drift drift;                                        ///< of the members that did not fail
  Drift passage_drift;                                ///< of those that came near a singular position
  InvariantDrift invariants;                          ///< of the members that did not fail
  StartShift starts;                                  ///< of starts that were put on the constraints
  long starts_off = 0;                                ///< members that start off their constraints, as they were given
  long first_start_off = -1;                          ///< the first of these
  LyapunovOutcome lyapunov;
  std::vector<EventOutcome> events;  ///< in the order of Options::events
  double worst_violation = 0;        ///< max |phi|, |phi'|, |psi| over members and saved times
  double worst_residual = 0;         ///< max |A w' - b| likewise
  bool interrupted = false;
  long first_failed = -1;     ///< the first member that failed, of those integrated; -1: none
  std::string first_failure;  ///< what the first failed member failed of, where its backend says so
  std::string device;
  std::string compiled;  ///< which compiler made its machine code, or why none did; empty where nothing was compiled

  long failed() const;
};

/// Which members a run integrates. Whatever the part, a member is the same.
struct RunPart {
  long first = 0;       ///< of the source's members
  long members = -1;    ///< -1: all from the first on, of a run that is no part; a part may hold all members too
  Summary before = {};  ///< of a run of this part that was broken off: its finished_members are not integrated again
};

/// Receives a run. Calls come from one thread: begin, then for each block begin_block, begin_motion, write (a frame, in
/// time order) …, end_block and, where the block was completed, block_finished; and at last finish. If finish is never
/// called (an exception), nothing may appear under the final name.
class Sink {
 public:
  virtual ~Sink() = default;
  /// Fields that it writes though nobody asked for them.
  virtual FieldSet always_writes() const { return {}; }
  virtual void begin(const RunInfo& run) = 0;
  /// Members as they were drawn: nothing is projected or integrated yet.
  virtual void begin_block(const Block& /*block*/) {}
  /// The same members as they start to move: on the constraints. Called where a start was asked for that may be moved.
  virtual void begin_motion(const Block& /*block*/) {}
  virtual void write(const Frame& frame) = 0;
  virtual void end_block(const Block& block) = 0;
  /// What the run has come to with the blocks so far, all of them complete.
  virtual void block_finished(const Summary& /*so_far*/) {}
  virtual void finish(const Summary& summary) = 0;
};

/// How far a run has come.
struct Progress {
  double member_steps_done = 0;
  double member_steps_total = 0;
  double seconds = 0;  ///< wall time so far
};

/// Integrates every member of `source` and streams the saved frames to the sinks, block by block. A stop request is
/// honoured within a part of a second, on a GPU at the next saved time: the members of unfinished blocks get
/// Status::interrupted. `begun` is called once, when the backend is chosen and ready, before the first sink begins.
/// Throws Error on bad options, an absent backend, or a sink's failure.
Summary run(const System& system, const MemberSource& source, const Options& options, std::span<Sink* const> sinks,
            const std::function<void(const Progress&)>& progress = {}, std::stop_token stop = {}, RunPart part = {},
            const std::function<void(const RunInfo&)>& begun = {});

/// Of a run in this precision: in single precision the rank tolerance is 1e-4, as singular values are good to some 1e-6
/// of the largest.
Options default_options(const System& system, Precision precision);

/// The saved times of a run: save_at, or the start, every save_every steps, and the end (alone where save_every is 0).
std::vector<double> saved_times(const Options& options);

}  // namespace kalaba
