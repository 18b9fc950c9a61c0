#include "scenario/member_formulas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "formula/graph/program.hpp"
#include "formula/graph/traverse.hpp"
#include "formula/text/lower.hpp"
#include "formula/text/system_names.hpp"
#include "scenario/model/tables.hpp"
#include "scenario/model/written.hpp"

namespace kalaba {
namespace {

using formula::Id;
using formula::Op;
using formula::Sort;
using formula::Unit;
using Role = SampledVariable::Role;

/// Expressions of one scenario during their compilation.
class Formulas {
 public:
  explicit Formulas(const System& system)
      : coordinates_(static_cast<int>(system.info.coordinates.size())), start_needs_(system.start_needs) {
    formula::add_names(system.info, names_, units_);
  }

  void read(const SystemInfo& system, const SampledVariable& variable, const Node& node, std::size_t place) {
    const bool is_parameter = variable.role == Role::parameter;
    const text_model::Written written = text_model::read_written(node);
    formula::Rules rules;
    rules.allowed = formula::on_parameters;
    if (!is_parameter) rules.allowed |= formula::on_coordinates | formula::on_rates;
    rules.whose = is_parameter ? "a parameter" : "a start";
    rules.made_of = is_parameter ? "parameters" : "parameters and other starts";
    text_model::Tables& tables = tables_.try_emplace(node.folder(), std::nullopt, node.folder()).first->second;
    names_.find_tables_by([&](const std::string& name, formula::Interpolation between, formula::Span at) {
      return tables.find(name, between, at, units_);
    });
    const Id id = text_model::placed(node, [&] {
      const formula::Lowered lowered = lowering_.number(written.syntax, {}, rules);
      refuse_discrete(system, lowered, rules);
      const Unit requested = names_.unit_of(sort_of(variable.role), variable.index);
      if (!units_.unify(lowered.value.unit, requested)) {
        throw formula::Fault(fmt::format("{} is {}, and this is {}", variable_of(system, variable).name,
                                         units_.said(requested), units_.said(lowered.value.unit)),
                             formula::Span{0, written.syntax.text.size()});
      }
      return lowered.value.id;
    });
    const Id symbol = graph_.symbol(op_of(variable.role), variable.index);
    formulas_.emplace(symbol, Formula{node, id, place});
    stated_.push_back(symbol);
  }

  void finish(std::vector<SampledVariable>& variables) {
    for (const SampledVariable& each : variables) {
      if (each.role != Role::parameter) given_.insert(graph_.symbol(op_of(each.role), each.index));
    }
    for (const Id symbol : stated_) order(symbol, formulas_.at(symbol), variables);
  }

 private:
  struct Formula {
    Node node;
    Id id;
    std::size_t place;
    enum { fresh, active, done } state = fresh;
  };

  /// The start of a discrete variable follows from the parameters of the member, after its formulas.
  void refuse_discrete(const SystemInfo& system, const formula::Lowered& lowered, const formula::Rules& rules) const {
    for (const auto& [span, id] : lowered.leaves) {
      const formula::Node& leaf = graph_[id];
      if (leaf.op != Op::parameter || leaf.index < system.first_discrete()) continue;
      throw formula::Fault(
          fmt::format("{} is of {}, found the discrete variable {}", rules.whose, rules.made_of, names_.label(leaf)),
          span);
    }
  }

  static Sort sort_of(Role role) {
    return role == Role::parameter ? Sort::parameter : role == Role::coordinate ? Sort::coordinate : Sort::rate;
  }
  static Op op_of(Role role) {
    return role == Role::parameter ? Op::parameter : role == Role::coordinate ? Op::coordinate : Op::rate;
  }

  /// Appends the formulas that a variable depends on, in order of evaluation: its own formula, or for a start that the
  /// model computes from other starts, the formulas of those starts.
  void order(Id symbol, std::vector<SampledVariable>& variables) {
    if (const auto found = formulas_.find(symbol); found != formulas_.end()) {
      order(symbol, found->second, variables);
      return;
    }
    const formula::Node& node = graph_[symbol];
    const int place = node.index + (node.op == Op::rate ? coordinates_ : 0);
    const bool is_start = node.op == Op::coordinate || node.op == Op::rate;
    if (!is_start || given_.contains(symbol) || place >= static_cast<int>(start_needs_.size())) return;
    for (const int needed : start_needs_[static_cast<std::size_t>(place)]) {
      const bool is_rate = needed >= coordinates_;
      order(graph_.symbol(is_rate ? Op::rate : Op::coordinate, is_rate ? needed - coordinates_ : needed), variables);
    }
  }

  void order(Id symbol, Formula& formula, std::vector<SampledVariable>& variables) {
    if (formula.state == Formula::done) return;
    if (formula.state == Formula::active) {
      formula.node.fail(fmt::format("{} is defined by itself", names_.label(graph_[symbol])));
    }
    formula.state = Formula::active;
    for (const Op kind : {Op::parameter, Op::coordinate, Op::rate}) {
      for (const Id needed : formula::symbols_in(graph_, std::span(&formula.id, 1), kind)) order(needed, variables);
    }
    formula.state = Formula::done;
    SampledVariable& variable = variables[formula.place];
    variable.program = std::make_shared<const formula::Program>(graph_, std::span(&formula.id, 1));
    variable.turn = next_++;
  }

  formula::Graph graph_;
  formula::Units units_;
  formula::Names names_{graph_, units_};
  formula::Traits traits_{graph_};
  formula::Lowering lowering_{graph_, units_, names_, traits_};
  std::map<std::filesystem::path, text_model::Tables> tables_;  // by base folder of their file names
  std::map<Id, Formula> formulas_;                              // by the symbol that each computes
  std::vector<Id> stated_;                                      // keys of formulas_, in the order of reading
  std::set<Id> given_;                                          // starts that the scenario gives, in place of the model
  int coordinates_;
  const std::vector<std::vector<int>>& start_needs_;  // System::start_needs
  int next_ = 0;
};

}  // namespace

void compile_formulas(const System& system, const std::vector<StatedFormula>& stated,
                      std::vector<SampledVariable>& variables) {
  if (stated.empty()) return;
  Formulas formulas(system);
  for (const auto& [place, node] : stated) formulas.read(system.info, variables[place], node, place);
  formulas.finish(variables);
}

}  // namespace kalaba
