#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formula/graph/fault.hpp"
#include "formula/graph/graph.hpp"
#include "formula/graph/unit.hpp"

namespace kalaba::formula {

/// An expression in the graph with its unit; the unit of a mask has no meaning.
struct Value {
  Id id = -1;
  Unit unit;
};

/// The counters of the families and sums around an expression: {"i", 3}.
using Bindings = std::vector<std::pair<std::string, long>>;

/// Current value of the counter with that name; none if there is no such counter.
std::optional<long> bound_to(const Bindings& bindings, const std::string& name);

enum class Sort : std::uint8_t { count, parameter, coordinate, rate, ideal_force, observed, definition };

/// A table, and the units of its places and of its values.
struct TableMeaning {
  std::shared_ptr<const Table> table;
  Unit of_places;
  Unit of_values;
};

/// Meaning of a name: a single object or a family.
struct Meaning {
  Sort sort = Sort::parameter;
  int first = 0;          ///< index of the (first) parameter, coordinate, rate or definition; the value of a count
  int stride = 1;         ///< from one member of a family to the next
  long members = 0;       ///< of a family, 1 ... members; 0: no family
  std::string over = {};  ///< the count that it runs over, "links"

  int at(long member) const { return first + stride * static_cast<int>(member - 1); }
};

/// Place of a name in a text.
struct Spot {
  Span all;  ///< with its index
  Span word;
  const Bindings* bindings = nullptr;
};

/// All names of a model.
class Names {
 public:
  /// Makes the value of a definition for a member (0: no family), where it is first needed.
  using Define = std::function<Value(int definition, long member, Span at)>;

  Names(Graph& graph, Units& units) : graph_(graph), units_(units) {}

  void add(const std::string& name, Meaning meaning) { meanings_[name] = std::move(meaning); }
  /// "x[0]", a definition beside a family.
  void add_element(const std::string& name, long member, int definition) { elements_[{name, member}] = definition; }
  /// "tip.x", an expression.
  void add_value(const std::string& name, Value value) { values_[name] = std::move(value); }
  void define_by(Define define) { define_ = std::move(define); }

  /// Finds the table of that name, which stands at this place; throws Fault.
  using FindTable = std::function<TableMeaning(const std::string& name, Interpolation between, Span at)>;
  void find_tables_by(FindTable find) { find_table_ = std::move(find); }
  TableMeaning table(const std::string& name, Interpolation between, Span at) const;
  /// The units of the ideal force along each rate; coordinates name rates where each has one.
  void set_ideal_force(std::vector<Unit> units, bool by_coordinate) {
    units_of_[Sort::ideal_force] = std::move(units);
    ideal_by_coordinate_ = by_coordinate;
  }
  /// Adds the next constraint, of whose multiplier "ideal.NAME" is the value; `member`: 0 where it is no family.
  void add_multiplier(const std::string& name, long member, Unit unit);
  void set_time_unit(Unit unit) { time_ = std::move(unit); }

  const Meaning* find(const std::string& name) const;
  bool has_element(const std::string& name, long member) const { return elements_.contains({name, member}); }
  std::optional<long> count(const std::string& name) const;
  std::vector<std::string> counts() const;

  /// The value of a name that is no counter. Throws Fault.
  Value value(const std::string& name, std::optional<long> index, const Spot& spot) const;
  /// The ideal force along the rate of this name, or of the coordinate of this name, or the multiplier of the
  /// constraint of this name.
  Value ideal(const std::string& name, std::optional<long> index, const Spot& spot) const;

  Unit unit_of(Sort sort, int index) const;
  void set_units(Sort sort, std::vector<Unit> units) { units_of_[sort] = std::move(units); }
  /// As an output calls it: x1, y1_dot.
  void set_labels(Sort sort, std::vector<std::string> labels) { labels_[sort] = std::move(labels); }
  std::string label(const Node& symbol) const;

 private:
  const Meaning& meaning(const std::string& name, const Spot& spot) const;
  std::optional<Value> multiplier(const std::string& name, std::optional<long> index, const Spot& spot) const;
  int rates_with_force() const;
  Value symbol(Sort sort, int index) const;
  void check_index(const std::string& name, const Meaning& meaning, std::optional<long> index, const Spot& spot) const;

  Graph& graph_;
  Units& units_;
  std::map<std::string, Meaning> meanings_;
  std::map<std::string, Value> values_;
  std::map<std::pair<std::string, long>, int> elements_;
  std::map<std::pair<std::string, long>, std::pair<int, Unit>> multipliers_;  // place among the constraints
  std::map<Sort, std::vector<Unit>> units_of_;
  std::map<Sort, std::vector<std::string>> labels_;
  Define define_;
  FindTable find_table_;
  bool ideal_by_coordinate_ = true;
  Unit time_ = Unit::seconds();
};

}  // namespace kalaba::formula
