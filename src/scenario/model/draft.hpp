#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formula/graph/graph.hpp"
#include "formula/text/lower.hpp"
#include "kalaba/formula/statement.hpp"
#include "scenario/model/contact_text.hpp"
#include "scenario/model/tables.hpp"
#include "scenario/model/written.hpp"

namespace kalaba::text_model {

/// Expression that was added to the graph, and its place in the document.
struct Use {
  Node node;
  formula::Syntax syntax;
  std::string name;  ///< name of a constraint; else empty
  formula::Lowered lowered;
};

/// Entry of a table that declares a name or a family of names, and its index among the flattened variables.
struct Declared {
  Node node;
  Key key;
  formula::Meaning meaning;
};

/// Gap and restitution of a limit of a joint.
struct LimitTerms {
  formula::Value gap;
  formula::Id restitution = -1;
  std::string meaning;
};

/// Coordinate or rate of a joint, by which the starts of bodies are stated if the coordinates are those of bodies.
struct JointStart {
  std::string name;
  formula::Id symbol = -1;
  double value = 0;
  formula::Unit unit;
  std::optional<formula::Id> expression = std::nullopt;  ///< of bodies, by which other expressions name it
};

/// State shared by the readers of a model's sections.
struct Draft {
  explicit Draft(const Node& model) : model(model), tables(entry_of(model, "tables"), model.folder()) {
    names.find_tables_by([this](const std::string& name, formula::Interpolation between, formula::Span at) {
      return tables.find(name, between, at, units);
    });
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  Node model;
  formula::Graph graph;
  formula::Statement statement;
  formula::Units units;
  formula::Names names{graph, units};
  formula::Traits traits{graph};
  formula::Lowering lowering{graph, units, names, traits};

  Tables tables;

  std::string rates_word;                           ///< name of w in messages: "rates", "momenta", "quasi-velocities"
  bool rates_are_velocities = true;                 ///< w_i = q_i'
  bool has_velocity = false;                        ///< q' is stated: [model.velocity], or by a mechanism with balls
  bool is_default_structure = true;                 ///< all counts have their default values
  formula::Unit energy = units.fresh("energy");     ///< unit of the energies; determined from the first of them
  formula::Unit second = formula::Unit::seconds();  ///< an unknown unit if the model states no unit at all
  std::vector<Declared> coordinates;
  std::vector<Declared> contacts;  ///< of [model.unilateral], followed by the limits of joints
  std::vector<ContactText> contact_texts;
  std::map<std::string, LimitTerms> limits;  ///< by the name of the contact
  std::vector<double> coordinate_starts;     ///< default starts [nq]; empty: 0
  std::vector<JointStart> joint_starts;
  std::map<formula::Id, formula::Id> body_starts;    ///< by coordinate or rate, of the symbols of joint_starts
  std::map<formula::Id, formula::Id> joint_symbols;  ///< coordinates and rates of joints -> symbols of joint_starts
  std::map<formula::Id, formula::Id> velocities;     ///< x_dot -> K, if the rates are not velocities
  std::vector<formula::Unit> parameter_units;
  std::vector<formula::Unit> coordinate_units;
  std::vector<formula::Unit> rate_units;
  std::map<std::string, formula::Unit> row_units;  ///< units of constraints and invariants
  std::vector<Use> uses;                           ///< expressions of the equations of motion, in the order of reading
  std::vector<Use> start_uses;                     ///< expressions of the initial state
  std::vector<Use>* uses_go_to = &uses;            ///< list for the expressions that are read now; null: none

  std::optional<Node> section(const std::string& name) const { return entry_of(model, name); }
  int nq() const { return statement.nq(); }
  int nw() const { return statement.nw(); }
  /// Unit of the force along a rate.
  formula::Unit force_unit(int rate) const;
  /// Substitutes the expressions of the rates for x_dot, if the rates are not velocities.
  formula::Id of_rates(formula::Id id);
  /// Adds a condition for the validity of the model.
  void require(formula::Id condition);
};

/// Requirements on an expression of a section.
struct Wanted {
  formula::Rules rules;
  std::optional<formula::Unit> unit;  ///< none: any
  std::string what;                   ///< description for the message of a wrong unit: "the force along y"
};

/// Adds the expression to the graph and checks that it has the required unit. `leaves`: returns the symbols for its
/// names. Throws Error.
formula::Value take(Draft& draft, const Written& written, const formula::Bindings& bindings, const Wanted& wanted,
                    std::vector<std::pair<formula::Span, formula::Id>>* leaves = nullptr);

/// Variable that an entry of a table refers to, and its counters.
struct Target {
  int index = 0;
  formula::Bindings bindings;
};

/// Variables that a key names: one, or a family. `sorts`: accepted kinds of variables; `kind`: their name in messages.
/// Throws Error.
std::vector<Target> targets_of(const Draft& draft, const Node& node, const std::vector<formula::Sort>& sorts,
                               const std::string& kind);

/// Number of members of a family's key; fails for an unknown count, or a counter that is already a name.
long members_of(const Draft& draft, const Node& node, const Key& key);

}  // namespace kalaba::text_model
