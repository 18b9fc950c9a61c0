#pragma once

#include <map>
#include <string>
#include <vector>

#include "formula/graph.hpp"
#include "formula/lower.hpp"
#include "kalaba/formula/statement.hpp"
#include "scenario/model/tables.hpp"
#include "scenario/model/written.hpp"

namespace kalaba::text_model {

/// An expression that came into the graph, and where it was written.
struct Use {
  Node node;
  formula::Syntax syntax;
  std::string name;  ///< of a constraint; else empty
  formula::Lowered lowered;
};

/// An entry of a table that names things, one or a family, and where among the flattened variables it stands.
struct Declared {
  Node node;
  Key key;
  formula::Meaning meaning;
};

/// A model while it is read: what its sections have in common.
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

  std::string rates_word;                           ///< what w is: "rates", "momenta", "quasi-velocities"
  bool rates_are_velocities = true;                 ///< w_i = q_i'
  bool is_default_structure = true;                 ///< no count is other than its default
  formula::Unit energy = units.fresh("energy");     ///< that of the energies; found from the first of them
  formula::Unit second = formula::Unit::seconds();  ///< an unknown where the author states no unit at all
  std::vector<Declared> coordinates;
  std::map<formula::Id, formula::Id> velocities;  ///< x_dot -> K, where the rates are no velocities
  std::vector<formula::Unit> parameter_units;
  std::vector<formula::Unit> coordinate_units;
  std::vector<formula::Unit> rate_units;
  std::map<std::string, formula::Unit> row_units;  ///< of constraints and invariants
  std::vector<Use> uses;                           ///< of what moves the model, in the order of reading
  std::vector<Use> start_uses;                     ///< of what it starts with
  std::vector<Use>* uses_go_to = &uses;            ///< those of what is read now; null: nowhere

  std::optional<Node> section(const std::string& name) const { return entry_of(model, name); }
  int nq() const { return statement.nq(); }
  int nw() const { return statement.nw(); }
  /// Of the force along a rate.
  formula::Unit force_unit(int rate) const;
  /// The expression with what x_dot is of the rates, where they are no velocities.
  formula::Id of_rates(formula::Id id);
};

/// What an expression of a section must be.
struct Wanted {
  formula::Rules rules;
  std::optional<formula::Unit> unit;  ///< none: any
  std::string what;                   ///< "the force along y", of which the message of a wrong unit speaks
};

/// The expression in the graph; its unit is the one wanted. `leaves`: takes the names in it. Throws Error.
formula::Value take(Draft& draft, const Written& written, const formula::Bindings& bindings, const Wanted& wanted,
                    std::vector<std::pair<formula::Span, formula::Id>>* leaves = nullptr);

/// A variable that an entry of a table speaks of, and its counters.
struct Target {
  int index = 0;
  formula::Bindings bindings;
};

/// The variables that a key names: one, or a family of them. `sorts`: of which kinds; `kind` is how a message calls
/// them. Throws Error.
std::vector<Target> targets_of(const Draft& draft, const Node& node, const std::vector<formula::Sort>& sorts,
                               const std::string& kind);

/// How often a family's key counts; fails for an unknown count, or a counter that is another name.
long members_of(const Draft& draft, const Node& node, const Key& key);

}  // namespace kalaba::text_model
