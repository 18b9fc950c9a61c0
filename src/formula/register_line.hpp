#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "formula/function_writer.hpp"
#include "formula/graph.hpp"
#include "kalaba/backend/interpreted_model.hpp"

namespace kalaba::formula {

/// Values and the registers that they are wanted in.
using Wanted = std::vector<std::pair<Id, int>>;

/// Turns expressions into steps. Numbers and what depends on parameters alone have registers of their own, which are
/// filled once a member, and so have the values that are wanted; other registers are taken and given back.
class RegisterLine {
 public:
  /// Of all that `used` needs. Registers from `first` on are free.
  RegisterLine(const Graph& graph, const Hoisted& hoisted, std::span<const Id> used, int first,
               InterpretedModel& model);

  /// What is done with a member's state. Places that are `kept` belong to these values alone, so that what does not
  /// change is put there once a member. Where it `fuses`, a product and a sum are rounded as one.
  RegisterSteps steps(const Wanted& wanted, bool kept, bool fuses = false);
  /// What is done once a member, for all steps asked for before.
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
