#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "formula/code/function_writer.hpp"
#include "formula/graph/graph.hpp"
#include "kalaba/backend/interpreted_model.hpp"

namespace kalaba::formula {

/// Values and their target registers.
using Wanted = std::vector<std::pair<Id, int>>;

/// Translates expressions into steps. Numbers, expressions of parameters only, and the results have fixed registers;
/// the first two are computed once a member. All other registers are reused.
class RegisterLine {
 public:
  /// `used`: all expressions that will be translated. Registers from `first` on are free.
  RegisterLine(const Graph& graph, const Hoisted& hoisted, std::span<const Id> used, int first,
               InterpretedModel& model);

  /// Steps that depend on a member's state. `kept`: the target registers hold these values only, so that constants are
  /// stored there once a member. `fuses`: a product and a sum are rounded once.
  RegisterSteps steps(const Wanted& wanted, bool kept, bool fuses = false);
  /// Steps that are executed once a member, for all results of `steps` so far.
  RegisterSteps prepare();
  int end() const { return end_; }  ///< of the registers used

 private:
  struct Draft;
  bool is_computed(Id id, bool of_state) const;
  std::optional<std::array<Id, 2>> factors_of(Id id) const;
  RegisterSteps line(std::span<const Id> roots, std::map<Id, int> places, bool of_state, bool fuses);
  std::vector<Draft> draft(std::span<const Id> roots, const std::map<Id, int>& places, bool of_state) const;
  int table_of(int use);

  const Graph& graph_;
  const Hoisted& hoisted_;
  InterpretedModel& model_;
  std::map<Id, int> fixed_;    // numbers, symbols and hoisted entries
  std::map<int, int> tables_;  // by Node::index
  RegisterSteps copies_ = {};  // of hoisted entries
  int first_;                  // of those that are taken and given back
  int end_;
};

}  // namespace kalaba::formula
