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

/// A variable of a full factorial grid of members: "parameters.L" or "initial.x", and its number of points.
struct GridAxis {
  std::string name;
  long points = 1;
};

/// A coordinate or rate whose initial value was given, by a number or a distribution.
struct GivenStart {
  bool is_rate = false;
  int index = 0;        ///< among the coordinates or rates
  bool varies = false;  ///< differs between members
};

/// Source of members: an ensemble in memory, or a scenario's sampler.
class MemberSource {
 public:
  virtual ~MemberSource() = default;
  virtual long members() const = 0;
  /// Writes parameters, q and w of members block.first … block.first + block.members - 1. Called from one thread at a
  /// time, for any block, in any order; the values of a member depend on its index only.
  virtual void fill(Block& block) const = 0;
  /// Given initial values: a run reports how far the projection onto the constraints moved them.
  virtual std::vector<GivenStart> given_starts() const { return {}; }
  /// True if initial values that were not given are the system's default start for each member's parameters.
  virtual bool starts_follow_parameters() const { return false; }
  /// Discrete variables, as indices among the parameters, whose starts `fill` writes. The model states the others.
  virtual std::vector<int> given_discrete() const { return {}; }
  /// "member 3: REASON" of the first member, of those filled so far, that has no start; "" if all have one.
  virtual std::string first_failure() const { return {}; }
};

/// "cpu", "cpu, interpreted", …
std::string backend_text(Backend backend, bool interpreted);

/// Origin of a run's numbers; written into every output.
struct RunInfo {
  const SystemInfo* system = nullptr;
  Options options;
  long members = 0;           ///< integrated by the run
  long first_member = 0;      ///< index of the first of these; not 0 for a part of an ensemble
  long ensemble_members = 0;  ///< size of the ensemble of a part; 0: the run is the whole ensemble
  std::vector<double> times;  ///< saved times, s
  std::string device;         ///< "cpu: 2 threads, 8 lanes (avx512)", ...
  std::string note = {};      ///< reason why `auto` chose this backend, if it is worth a line; else empty
  bool interpreted = false;   ///< the backend cpu interprets the model on packs; its bits differ from compiled code

  /// Must be equal in runs that continue this one or compute another part of it.
  std::string backend() const { return backend_text(options.backend, interpreted); }
};

/// One saved instant of one block.
struct Frame {
  long index = 0;      ///< into RunInfo::times
  double time = 0;     ///< s
  const Block& block;  ///< the members; its state may already be a later one
  const Observation& observation;

  /// [component][block.stride]; only the first block.members of each row are valid.
  std::span<const double> values(Field field) const { return observation.values[static_cast<std::size_t>(field)]; }
};

/// Number `number` of a layout's numbers per member, [component][agent], for the members of the frame's block. Throws
/// Error if the backend did not compute the field.
std::span<const double> number_row(const Frame& frame, const FieldLayout& layout, std::size_t number);

/// Outcome of one event in a run.
struct EventOutcome {
  std::string name;
  EventAction action = EventAction::stop;
  long members = 0;                                            ///< members in which it occurred
  double crossings = 0;                                        ///< occurrences in all members
  double earliest = std::numeric_limits<double>::quiet_NaN();  ///< of the members' first occurrences, s; NaN: none
  double latest = std::numeric_limits<double>::quiet_NaN();    ///< of the members' first occurrences, s; NaN: none
  bool was_finite = true;  ///< its expression was finite at the start or end of some member
  long gaining = 0;        ///< of a contact: members with a restitution above 1, whose impacts gain energy
};

/// Largest change of given initial values by the projection onto the constraints.
struct StartShift {
  long members = 0;      ///< members in which a coordinate or rate was moved
  double largest = 0;    ///< relative to its size, or to the largest of the same unit
  std::string variable;  ///< name of the coordinate or rate with that change
  long member = -1;      ///< its member
  double drawn = 0;      ///< value before
  double projected = 0;  ///< value after
};

/// Changes of the members' energies, if the system conserves energy.
struct Drift {
  static constexpr double share = 1e-6;         ///< limit, relative to the largest kinetic energy
  static constexpr double single_share = 1e-3;  ///< in single precision

  double energy = 0;          ///< max |E - E(0)| over members and saved times, J
  double first = 0;           ///< E(0) of that member, J
  long member = -1;           ///< -1: energy was not monitored
  long drifted = 0;           ///< members whose energy changed by more than the limit
  double relative = 0;        ///< largest change of these, relative to the member's kinetic energy
  long relative_member = -1;  ///< its member

  bool is_large() const { return drifted > 0; }
};

/// Excessive changes of the invariants that the system declares constant or zero.
struct InvariantDrift {
  long drifted = 0;     ///< invariants of members that changed by more than Drift::share of their terms
  std::string name;     ///< invariant with the largest change relative to its terms
  long member = -1;     ///< its member
  double first = 0;     ///< its value at the start; 0 if it is declared zero
  double change = 0;    ///< largest change over saved times
  double relative = 0;  ///< `change` relative to its terms
};

/// Constraints of the first members of which a summary has a warning; empty if there are none, and for merged shards.
struct ConstraintNotes {
  std::string off_at_start;  ///< farthest off where the member starts, as given
  std::string drifting;      ///< farthest off at a saved time
  std::string dependent;     ///< nearly dependent
};

/// Largest Lyapunov exponents of a run's members, up to the last saved time.
struct LyapunovOutcome {
  long members = 0;                                            ///< members with exponents
  long directions = 0;                                         ///< independent directions, largest number of a member
  double least = std::numeric_limits<double>::quiet_NaN();     ///< of the members' largest exponents, 1/s
  double greatest = std::numeric_limits<double>::quiet_NaN();  ///< of the members' largest exponents, 1/s
  long grown_apart = 0;     ///< members whose directions separated between saved times by more than digits represent
  long outgrown_steps = 0;  ///< members whose directions grew or shrank by more than e per adaptive step, on average
};

/// First member with a status, of those integrated.
struct FirstFailure {
  long member = -1;    ///< -1: none
  std::string reason;  ///< cause of its failure; empty if it is not known
};

/// Summary of a run.
struct Summary {
  long members = 0;
  long finished_members = 0;   ///< of completed blocks
  double member_steps = 0;     ///< integrator steps of all members
  double rejected_steps = 0;   ///< rejected by an adaptive integrator, and repeated with a smaller size
  double seconds = 0;          ///< wall time
  double compute_seconds = 0;  ///< part of `seconds` inside the backend
  std::array<long, status_count> by_status = {};      ///< members by final status
  long rank_changes = 0;                              ///< members whose rank of A changed during the motion
  long singular_passages = 0;                         ///< members that came near a singular position
  long members_by_svd = 0;                            ///< members in which ldlt left stages to the SVD
  double svd_stages = 0;                              ///< those stages
  long stiff = 0;                                     ///< members whose steps stability limited, not the tolerance
  PseudoInverse pseudo_inverse = PseudoInverse::svd;  ///< used for the steps; never automatic
  Drift drift;                                        ///< of the members that did not fail
  Drift passage_drift;                                ///< of those that came near a singular position
  InvariantDrift invariants;                          ///< of the members that did not fail
  StartShift starts;                                  ///< of initial values that were projected onto the constraints
  long starts_off = 0;                                ///< members whose given initial values violate their constraints
  long first_start_off = -1;                          ///< the first of these
  long drifting = 0;             ///< members that did not fail, and violated constraints by more than a millionth
  long nearly_dependent = 0;     ///< members whose constraints were nearly dependent at two saved times
  long without_derivatives = 0;  ///< members that did not fail, and whose derivatives are NaN at their end
  ConstraintNotes notes;
  LyapunovOutcome lyapunov;
  std::vector<EventOutcome> events;  ///< in the order of Options::events
  double worst_violation = 0;        ///< max |phi|, |phi'|, |psi| over members and saved times
  double worst_residual = 0;         ///< max |A w' - b| over members and saved times
  bool interrupted = false;
  std::array<FirstFailure, status_count> first_failures = {};  ///< by status; of other statuses than failures none
  std::string device;
  std::string compiled;  ///< compiler of the machine code, or the reason why it was not compiled; empty if nothing had
                         ///< to be compiled

  long failed() const;
  /// Statuses of the members that failed, the most frequent one first.
  std::vector<Status> failures() const;
  /// First member that failed, of those integrated; -1: none.
  long first_failed() const;
  /// "member 3: REASON" of the first member that failed; "" if there is none, or its reason is not known.
  std::string first_failure() const;
};

/// Members that a run integrates. A member does not depend on the part.
struct RunPart {
  long first = 0;       ///< first one of the source's members
  long members = -1;    ///< -1: all from the first on, in a run that is no part; a part may contain all members too
  Summary before = {};  ///< summary of an interrupted run of this part: its finished_members are not integrated again
};

/// Receives a run. Calls come from one thread: begin, then for each block begin_block, begin_motion, write (a frame, in
/// time order) …, end_block and, if the block was completed, block_finished; and at the end finish. If finish is never
/// called (an exception), no output may appear under the final name.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void begin(const RunInfo& run) = 0;
  /// Members as drawn, before projection and integration.
  virtual void begin_block(const Block& /*block*/) {}
  /// These members at the start of the motion, on the constraints. Called if a given initial value may be moved.
  virtual void begin_motion(const Block& /*block*/) {}
  virtual void write(const Frame& frame) = 0;
  virtual void end_block(const Block& block) = 0;
  /// Summary of the run with the blocks so far, all of them complete.
  virtual void block_finished(const Summary& /*so_far*/) {}
  virtual void finish(const Summary& summary) = 0;
};

/// Progress of a run.
struct Progress {
  double member_steps_done = 0;
  double member_steps_total = 0;
  double seconds = 0;  ///< wall time so far
};

/// Integrates every member of `source` and streams the saved frames to the sinks, block by block. A stop request takes
/// effect within a fraction of a second, on a GPU at the next saved time: the members of unfinished blocks get
/// Status::interrupted. `begun` is called once, when the backend is chosen and ready, before the first sink begins.
/// Throws Error for invalid options, an absent backend, or a failure of a sink.
Summary run(const System& system, const MemberSource& source, const Options& options, std::span<Sink* const> sinks,
            const std::function<void(const Progress&)>& progress = {}, std::stop_token stop = {}, RunPart part = {},
            const std::function<void(const RunInfo&)>& begun = {});

/// Default options for this precision: in single precision the rank tolerance is 1e-4, because singular values are
/// accurate to about 1e-6 of the largest.
Options default_options(const System& system, Precision precision);

/// Saved times of a run: save_at, or the start, every save_every steps, and the end (only the end if save_every is 0).
std::vector<double> saved_times(const Options& options);

}  // namespace kalaba
