#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formula/graph/graph.hpp"

namespace kalaba::formula {

/// Values that are computed once a member: parameters, and expressions of parameters only. They are the entries of the
/// vector that the emitted prepare(p) returns.
class Hoisted {
 public:
  /// `roots`: all values that the functions return.
  Hoisted(const Graph& graph, std::span<const Id> roots);

  const std::vector<Id>& entries() const { return entries_; }
  int size() const { return static_cast<int>(entries_.size()); }
  /// Its place among them; -1 where it is a number or depends on the state.
  int place(Id id) const;
  bool of_state(Id id) const { return of_state_[static_cast<std::size_t>(id)]; }

 private:
  std::vector<bool> of_state_;  // of what was there when it was made
  std::map<Id, int> places_;
  std::vector<Id> entries_;
};

/// Name of the rows of a table in the code of a model.
std::string table_rows_name(const std::string& model, int table);

/// Every bit of a double, as C++ reads it.
std::string exactly(double value);

/// The body of one function: a line an operation, then what it returns. Numbers of the state are of type X, constants
/// (entries of p, numbers) of type C.
class FunctionWriter {
 public:
  /// Writes a function of the struct `model`. With `hoisted` its parameters are prepared; without, they are raw and all
  /// numbers have type C. The first `rates` numbers of the ideal force are by rate, the others its multipliers.
  FunctionWriter(const Graph& graph, const Hoisted* hoisted, std::string model, int rates = 0)
      : graph_(graph), hoisted_(hoisted), model_(std::move(model)), rates_(rates) {}

  /// From here on a product and a sum are rounded as one.
  void fuse() { fuses_ = true; }

  /// Writes the lines that these values need and have not got yet.
  void compute(std::span<const Id> roots);
  /// A computed value as a number of type X (of type C without `hoisted`).
  std::string value(Id id);
  std::string list(std::span<const Id> values);  ///< "{a, b}", and "{}" of none

  void call(Id id, const std::string& name) { names_[id] = name; }  ///< for a value computed elsewhere

  void write(const std::string& statement) { lines_ += "    " + statement + '\n'; }  ///< a line of its own

  const std::string& lines() const { return lines_; }
  bool uses(const std::string& argument) const { return used_.contains(argument); }
  int operations() const { return operations_; }

 private:
  /// A product and what is added to it, of a sum or difference of which one side is a product.
  struct Fused {
    Id a, b, c;
    bool negates_product, negates_rest;
  };

  bool is_constant(Id id) const;
  std::vector<Id> lines_for(std::span<const Id> roots) const;
  std::optional<Fused> fused(const Node& node) const;
  std::string fused_text(const Fused& fused);
  std::string operand(Id id);  ///< in arithmetic, where constants and numbers of the state mix
  std::string lifted(Id id);   ///< as the argument of a function
  std::string expression(const Node& node);
  std::string power(Id base, int exponent);
  std::string line(const std::string& type, const std::string& text);

  const Graph& graph_;
  const Hoisted* hoisted_;
  std::string model_;
  std::map<Id, std::string> names_;
  std::map<std::string, int> used_;
  std::string lines_;
  int operations_ = 0;
  int rates_ = 0;
  bool fuses_ = false;
};

}  // namespace kalaba::formula
