#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kalaba/block.hpp"
#include "kalaba/options.hpp"

namespace kalaba {

/// A named number of a system.
struct Variable {
  std::string name;
  std::string unit;
  double value = 0;  ///< default (for coordinates and rates: for a member with default parameters)
  std::string meaning;
};

/// An expected value of a coordinate, rate or invariant of the default run.
struct ExpectedFigure {
  double time = 0;
  std::string name;
  double value = 0;
  double tolerance = 0;
};

/// Coulomb friction of a contact along a line, or in a plane that two directions span, orthogonal unit vectors. Its
/// rows are sticks * slip.
struct ContactFriction {
  bool in_plane = false;
  int row = 0;      ///< index among the constraints, of the first slip; that of the second is the next
  int sticks = 0;   ///< index of the discrete variable that is 1 while the contact sticks, else 0
  int slides = 0;   ///< likewise, 0 unless the contact slides: then the sign of the slip, 1 in a plane
  int way[2] = {};  ///< in a plane: indices of the discrete variables with the direction of the slip (WatchedFriction)
  int least = 0;    ///< likewise, below which slip it keeps this direction
  int slack = 0;    ///< index of a discrete variable of the event of the friction (WatchedFriction)
  Expression slip[2] = {};      ///< velocities of the contact along the directions
  Expression coefficient = {};  ///< mu, of parameters

  int rows() const { return in_plane ? 2 : 1; }
};

/// Unilateral constraint: a gap that stays at least 0, and the law of its impacts. Its row is mode * gap.
struct Contact {
  std::string name;
  int row = 0;    ///< index among the constraints
  int mode = 0;   ///< index of the discrete variable that is 1 while the contact is closed, else 0
  int slack = 0;  ///< index of a discrete variable of the contact's event (WatchedContact)
  ImpactLaw law = ImpactLaw::newton;
  Expression restitution = {};  ///< of parameters
  std::optional<ContactFriction> friction = std::nullopt;
};

/// White-noise forces on a system. Source s acts along the rates with the intensities sigma_s, in the unit of the force
/// times s^(1/2). The forces are applied as impulses at the middle of intervals of equal length.
struct Noise {
  /// Intensity of one source along one rate.
  struct Term {
    int source = 0;
    int rate = 0;
    Expression intensity = {};  ///< of t, coordinates and parameters
  };

  double every = 0;         ///< s: length of an interval
  int key = 0;              ///< index of the discrete variable with the key of a member's random numbers
  std::vector<Term> terms;  ///< by source
};

/// Pseudo-random states, the same in every run, that satisfy some constraints of a system.
struct ConstrainedStates {
  /// Numbers of a member at one instant: parameters, time in s, coordinates and rates.
  struct Numbers {
    std::vector<double> p;
    double t = 0;
    std::vector<double> q;
    std::vector<double> w;
  };
  /// A state that satisfies the constraints, and one near it that does not.
  struct State {
    Numbers at;      ///< on the constraints
    Numbers beside;  ///< off them, by about a thousandth of each coordinate and rate
  };

  /// Index of the discrete variable that is 1 there, and whose constraints they satisfy beside those that always hold;
  /// the others that switch constraints are 0. -1: they satisfy those that always hold alone.
  int mode = -1;
  std::vector<State> states;
};

/// Description of a system.
struct SystemInfo {
  std::string name;
  std::string summary;
  std::string source;     ///< paper and section
  std::string equations;  ///< plain text, one equation per line
  std::string note;       ///< misprints and inexact claims of the source
  Formulation formulation = Formulation::lagrange;
  std::map<std::string, int> structure;                ///< structural parameters, e.g. {"agents", 5}
  std::map<std::string, std::string> structure_words;  ///< structural parameters that are words, e.g. {"law", "morse"}
  /// Agents of a member, for a swarm; its coordinates, rates and constraints are those of one agent. Else 0.
  long agents = 0;
  std::vector<Variable> parameters;  ///< the last ones are the discrete variables
  /// Number of discrete variables: numbers of a member that are constant between changes by events and clocks.
  int discrete = 0;
  std::vector<Contact> contacts;
  ImpactOrder impacts = ImpactOrder::simultaneous;  ///< order of the contacts of an impact
  std::optional<Noise> noise;
  std::vector<Variable> coordinates;
  std::vector<Variable> rates;
  std::vector<Variable> constraints;   ///< holonomic first; value unused
  int holonomic = 0;                   ///< number of constraints stated as phi(t, q)
  std::vector<Variable> invariants;    ///< named numbers derived from the state; value unused
  std::vector<Invariance> invariance;  ///< of each invariant
  /// Components of the forces and torques that joints transmit, six a joint; value unused.
  std::vector<Variable> reactions;
  std::string reactions_absence;  ///< of a mechanism: the reason why it has none
  int redundant_rows = 0;         ///< of the loops of a mechanism, idle ones included; reactions are unique if 0
  /// Sensitivity columns of its runs, by the names in scenarios (kalaba/sensitivities.hpp).
  std::vector<Variable> sensitivities;
  std::vector<Variable> exponents;  ///< Lyapunov exponents of its runs, from those columns in place of derivatives
  std::vector<ExpectedFigure> figures;
  bool has_energy = false;
  bool conserves_energy = false;
  bool servo = false;  ///< the constraint force acts along given actuators only
  /// States on the constraints, for each discrete variable that switches some of them; found at the first call. Null if
  /// the formulas are not known.
  std::function<const std::vector<ConstrainedStates>&()> constrained_states = nullptr;
  /// False for a model as text that states no unit at all. The unit of its t is that which an expression requires.
  bool has_time_unit = true;
  TimeGrid time;                ///< default time span
  Stabilization stabilization;  ///< default

  /// Index of the first discrete variable in `parameters`.
  int first_discrete() const { return static_cast<int>(parameters.size()) - discrete; }
  WatchedRows watched_rows() const {
    return {static_cast<int>(invariants.size()), static_cast<int>(constraints.size()),
            static_cast<int>(contacts.size())};
  }
  /// Number of the events of contacts: one each, and one for each friction.
  int contact_events() const {
    int count = 0;
    for (const Contact& each : contacts) count += each.friction ? 2 : 1;
    return count;
  }
  /// Returns true if the system itself changes its members at instants: by contacts or noise.
  bool has_changes() const { return !contacts.empty() || noise.has_value(); }
  /// Number of copies of the coordinates, rates and constraints in a member.
  long copies() const { return agents > 0 ? agents : 1; }
};

/// One system on one backend with one method, called by the engine. Not for concurrent use. A backend with its own
/// memory may return from start, advance and observe before the work is done; requests are executed in order.
class Runner {
 public:
  virtual ~Runner() = default;
  /// Allocates memory for blocks of `members` members; returns the number that it can hold at once, fewer if memory is
  /// short.
  virtual long reserve(long members) { return members; }
  /// Projects the block's initial states onto the constraints if `project`, and marks members that cannot start.
  virtual void start(Block& block, double time, bool project) = 0;
  /// Advances every `ok` member from step `first_step` to `first_step + steps` of the time grid. Returns true; or
  /// false, before all members have arrived, if the word of `pause_on` is not 0. A repeated call then continues to the
  /// same bits, and must come before any other call for the block.
  virtual bool advance(Block& block, const TimeGrid& time, long first_step, long steps) = 0;
  /// Takes a word that another thread sets: 0 (go on), 1 (`advance` may return early, within the time of a few steps of
  /// a member) or 2 (stop: `observe_between` may return early too, with an observation that is of no use). Null: none.
  /// Backends that cannot interrupt a call ignore it.
  virtual void pause_on(const int* /*word*/) {}
  /// Computes the requested fields at the block's current state.
  virtual void observe(const Block& block, double time, FieldSet fields, Observation& out) = 0;
  /// Computes the requested fields at t, which lies between the current step of the grid and the next. The block is not
  /// changed, so the motion does not depend on observations.
  virtual void observe_between(const Block& block, const TimeGrid& time, long step, double t, FieldSet fields,
                               Observation& out) = 0;
  /// Replaces every member's sensitivity columns, and all data stored for them, by linear combinations: column j
  /// becomes the sum of factors[(i * columns + j) * stride + member] times column i. Throws if the backend has no
  /// columns.
  virtual void combine_columns(Block& block, const std::vector<double>& factors);
  /// Returns when the last requested observation is complete.
  virtual void wait(Observation& /*out*/) {}
  /// Returns when all work is done and the block contains its current state, status, failure times and rank changes.
  virtual void synchronize(Block& /*block*/) {}
  /// "member 3: REASON" of the first member that failed, if the backend has more information than its status; else "".
  virtual std::string first_failure() const { return {}; }
};

/// Functions of a model that a run needs besides its terms: derivatives of its formulas along directions, and others.
struct Derivatives {
  std::vector<int> of;     ///< [column], see SensitivityPlan
  bool feedback = false;   ///< b includes the feedback of the method
  bool series = false;     ///< recurrences of Taylor coefficients are emitted too
  bool jacobian = false;   ///< the motion is differentiated along every coordinate, every rate, and time
  bool reactions = false;  ///< forces and torques of joints
  bool time = false;       ///< the motion is also differentiated along time, behind the columns
};

/// C++ text of a model, for backends that compile at run time.
struct DeviceCode {
  std::string text;              ///< declares the type; may include Kalaba's core headers
  std::string type;              ///< name of the model's struct or law; empty if there is no text
  bool packs_in_flight = false;  ///< the struct states how many packs of members step together
  /// Emits text and type from the model's formulas, with these derivatives (none: `of` is empty). Null if only the text
  /// above is available. Throws TooManyOperations for a model that is too large.
  std::function<DeviceCode(const Derivatives&)> emit = nullptr;
  int operations = 0;  ///< of one evaluation of w'; 0 if they are not counted
};

struct InterpretedModel;
struct RegisterMap;

/// A system with its model type erased: description, default start and one runner factory per backend.
struct System {
  /// Writes the exact state at t of the default run with these parameters.
  using ClosedForm = void (*)(const double* parameters, double t, double* q, double* w);
  using StartFunction = std::function<void(const double* parameters, double* q, double* w)>;
  /// Computes the initial values that are not given: given[i] is 1 if that of coordinate i, or after them of a rate, is
  /// given and stays; else 0.
  using CompleteStart = std::function<void(const double* parameters, const double* given, double* q, double* w)>;
  using RunnerFactory = std::function<std::unique_ptr<Runner>(const Options& options)>;
  /// Returns null if the model cannot be interpreted, or exceeds the bounds of the map. Throws Error if it has too many
  /// formulas.
  using InterpretedFactory = std::function<std::shared_ptr<const InterpretedModel>(const RegisterMap& map)>;

  SystemInfo info;
  /// Computes the discrete variables at the start from the other parameters; null if there are none.
  std::function<void(const double* parameters, double* discrete)> discrete_start = nullptr;
  StartFunction default_start = nullptr;  ///< initial state of a member with these parameters
  /// Set if initial values are expressions of others, so that they follow the given ones; else null.
  CompleteStart complete_start = nullptr;
  std::vector<std::vector<int>> start_needs = {};  ///< by index as in `given`: the initial values on which it depends
  ClosedForm closed_form = nullptr;                ///< null if there is none
  RunnerFactory reference = nullptr;
  RunnerFactory cpu = nullptr;
  InterpretedFactory interpreted = nullptr;  ///< its formulas as steps, if they are known
  DeviceCode device_code;                    ///< source that compiled backends compile at run time; may be empty
  /// Text of a condition of its formulas at which the rate of the motion jumps; "" if none is found. May be null.
  std::function<std::string()> find_jump = nullptr;
};

/// Options with the system's own time grid and stabilisation, and PseudoInverse::automatic.
Options default_options(const System& system);

/// Catalogue: every system of this build, by name; a system with structural parameters has one entry per size.
const std::vector<System>& catalogue();

/// Valid system names of a scenario: those of the catalogue, each once, and `swarm`, which swarm.hpp makes.
std::vector<std::string> system_names();

/// Returns the catalogue's system of that name (its first size), or the default swarm. Throws Error with the nearest
/// valid name.
const System& find_system(std::string_view name, const std::map<std::string, int>& structure = {});

/// Returns true for a discrete variable that no model states, such as a value that waits for a clock with a delay.
/// Lists for users do not contain it.
inline bool is_internal(const Variable& variable) { return variable.name.find('@') != std::string::npos; }

}  // namespace kalaba
