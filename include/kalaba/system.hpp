#pragma once

#include <functional>
#include <map>
#include <memory>
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
  double value = 0;  ///< default (for coordinates and rates: of a member with default parameters)
  std::string meaning;
};

/// An expected value of a coordinate, rate or invariant of the default run.
struct ExpectedFigure {
  double time = 0;
  std::string name;
  double value = 0;
  double tolerance = 0;
};

/// What a system says of itself.
struct SystemInfo {
  std::string name;
  std::string summary;
  std::string source;     ///< paper and section
  std::string equations;  ///< plain text, one equation a line
  std::string note;       ///< where the source misprints or overstates
  Formulation formulation = Formulation::lagrange;
  std::map<std::string, int> structure;                ///< structural parameters, e.g. {"agents", 5}
  std::map<std::string, std::string> structure_words;  ///< those that are words, e.g. {"law", "morse"}
  /// Of a swarm: the agents of a member. Its coordinates, rates and constraints are those of one agent. Else 0.
  long agents = 0;
  std::vector<Variable> parameters;
  std::vector<Variable> coordinates;
  std::vector<Variable> rates;
  std::vector<Variable> constraints;   ///< holonomic first; value unused
  int holonomic = 0;                   ///< how many of the constraints are stated as phi(t, q)
  std::vector<Variable> invariants;    ///< named numbers of the state; value unused
  std::vector<Invariance> invariance;  ///< of each invariant
  /// The columns of sensitivities that runs of it have, by the names of scenarios (kalaba/sensitivities.hpp).
  std::vector<Variable> sensitivities;
  std::vector<Variable> exponents;  ///< of Lyapunov, that runs of it have of those columns, in place of derivatives
  std::vector<ExpectedFigure> figures;
  bool has_energy = false;
  bool conserves_energy = false;
  bool servo = false;           ///< the constraint force acts along given actuators only
  TimeGrid time;                ///< default time span
  Stabilization stabilization;  ///< default

  /// How often a member has the coordinates, rates and constraints.
  long copies() const { return agents > 0 ? agents : 1; }
};

/// One system on one backend with one method: what the engine drives. Not for concurrent use. A backend with a memory
/// of its own may return from start, advance and observe before their work is done; what they are asked for happens in
/// the order asked.
class Runner {
 public:
  virtual ~Runner() = default;
  /// Makes room for blocks of `members` members; returns how many it can hold at once, fewer where memory is short.
  virtual long reserve(long members) { return members; }
  /// Puts the block's initial states on the constraints (if asked) and marks members that cannot start.
  virtual void start(Block& block, double time, bool project) = 0;
  /// Steps every `ok` member from step `first_step` to `first_step + steps` of the time grid. Returns true; or false,
  /// before all members are there, where the word of `pause_on` is not 0. The same call then continues to the same bits,
  /// and comes before any other call for the block.
  virtual bool advance(Block& block, const TimeGrid& time, long first_step, long steps) = 0;
  /// Takes a word that another thread sets: 0 (go on), 1 (`advance` may return early, within the time of a few steps of
  /// a member) or 2 (stop: `observe_between` may return early too, with an observation that is of no use). Null: none.
  /// Backends that cannot interrupt a call ignore it.
  virtual void pause_on(const int* /*word*/) {}
  /// Computes the requested fields at the block's present state.
  virtual void observe(const Block& block, double time, FieldSet fields, Observation& out) = 0;
  /// Computes the requested fields at t, which lies between the present step of the grid and the next. The block stays
  /// as it is, so that its motion does not depend on what is looked at.
  virtual void observe_between(const Block& block, const TimeGrid& time, long step, double t, FieldSet fields,
                               Observation& out) = 0;
  /// Puts combinations of them in the place of every member's columns of sensitivities, and of all that it keeps of
  /// them: column j becomes the sum of factors[(i * columns + j) * stride + member] times column i. Throws where the
  /// backend has none.
  virtual void combine_columns(Block& block, const std::vector<double>& factors);
  /// Returns when the observation last asked for is there.
  virtual void wait(Observation& /*out*/) {}
  /// Returns when all is done and the block holds its present state, status, failure times and rank changes.
  virtual void synchronize(Block& /*block*/) {}
  /// What the first member that failed failed of, where the backend knows more than its status.
  virtual std::string first_failure() const { return {}; }
};

/// Directions along which a model's formulas are differentiated.
struct Derivatives {
  std::vector<int> of;    ///< [column], as SensitivityPlan has it
  bool feedback = false;  ///< b has the feedback of the method
};

/// C++ text of a model, for backends that compile at run time.
struct DeviceCode {
  std::string text;              ///< declares the type; may include Kalaba's core headers
  std::string type;              ///< name of the model's struct or law; empty where there is no text
  bool packs_in_flight = false;  ///< the struct says how many packs of members step together
  /// Emits text and type from the model's formulas, with these derivatives (none: `of` is empty). Null where the text
  /// above is all there is. Throws Error (bad_input) for a model that is too large.
  std::function<DeviceCode(const Derivatives&)> emit = nullptr;
};

struct InterpretedModel;
struct RegisterMap;

/// A system with its model erased: description, default start and one runner factory a backend.
struct System {
  /// Writes the exact state at t of the default run with these parameters.
  using ClosedForm = void (*)(const double* parameters, double t, double* q, double* w);
  using StartFunction = std::function<void(const double* parameters, double* q, double* w)>;
  /// Writes the starts that are not given: given[i] is 1 where that of coordinate i, or behind them of a rate, is, and
  /// stays; else 0.
  using CompleteStart = std::function<void(const double* parameters, const double* given, double* q, double* w)>;
  using RunnerFactory = std::function<std::unique_ptr<Runner>(const Options& options)>;
  /// Null where the model has what is not interpreted, or more than the map has room for. Throws Error where its
  /// formulas are too many.
  using InterpretedFactory = std::function<std::shared_ptr<const InterpretedModel>(const RegisterMap& map)>;

  SystemInfo info;
  StartFunction default_start = nullptr;  ///< initial state of a member with these parameters
  /// Where starts are stated by others, so that they follow those that are given; else null.
  CompleteStart complete_start = nullptr;
  std::vector<std::vector<int>> start_needs = {};  ///< by place as in `given`: the starts that it is stated by
  ClosedForm closed_form = nullptr;                ///< where there is one
  RunnerFactory reference = nullptr;
  RunnerFactory cpu = nullptr;
  InterpretedFactory interpreted = nullptr;  ///< its formulas as steps, where they are known
  DeviceCode device_code;                    ///< what compiled backends compile at run time; may be empty
};

/// Options with the system's own time grid and stabilisation, and PseudoInverse::automatic.
Options default_options(const System& system);

/// The catalogue: every system of this build, by name; a system with structural parameters has one entry a size.
const std::vector<System>& catalogue();

/// The names of the catalogue's systems, each once, and `swarm`, which swarm.hpp makes: what a scenario takes.
std::vector<std::string> system_names();

/// The catalogue's system of that name (its first size), or the default swarm. Throws Error naming the nearest right
/// word.
const System& find_system(std::string_view name, const std::map<std::string, int>& structure = {});

}  // namespace kalaba
