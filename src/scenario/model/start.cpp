#include "scenario/model/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "formula/graph/traverse.hpp"

namespace kalaba::text_model {
namespace {

using formula::Id;
using formula::Op;
using formula::Sort;

/// Reads the starts, and checks that none depends on itself.
class Starts {
 public:
  explicit Starts(Draft& draft) : draft_(draft) {
    for (int i = 0; i < draft.nq(); ++i) symbols_.push_back(draft.graph.symbol(Op::coordinate, i));
    for (int i = 0; i < draft.nw(); ++i) symbols_.push_back(draft.graph.symbol(Op::rate, i));
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      const bool has_default = i < draft.coordinate_starts.size();
      const auto of_joints = draft.body_starts.find(symbols_[i]);
      starts_[symbols_[i]].value = of_joints != draft.body_starts.end()
                                       ? of_joints->second
                                       : draft.graph.number(has_default ? draft.coordinate_starts[i] : 0);
    }
    for (const JointStart& each : draft.joint_starts) {
      symbols_.push_back(each.symbol);
      starts_[each.symbol].value = draft.graph.number(each.value);
      if (each.expression) draft.names.add_value(each.name, {each.symbol, each.unit});
    }
  }

  void read(const Node& table) {
    for (const Node& entry : table.entries()) {
      const Written written = read_written(entry);
      const auto joint = std::ranges::find(draft_.joint_starts, entry.name(), &JointStart::name);
      if (joint != draft_.joint_starts.end()) {
        read_one(entry, written, joint->symbol, joint->unit, {});
        continue;
      }
      for (const Named& target : targets_of(draft_, entry)) {
        const bool is_rate = target.sort == Sort::rate;
        const auto at = static_cast<std::size_t>(target.index);
        read_one(entry, written, draft_.graph.symbol(is_rate ? Op::rate : Op::coordinate, target.index),
                 is_rate ? draft_.rate_units[at] : draft_.coordinate_units[at], target.bindings);
      }
    }
  }

  void finish() {
    for (const Id symbol : symbols_) check(symbol);
    std::map<Id, Id> of_joints;
    for (const JointStart& each : draft_.joint_starts) {
      whole(each.symbol, of_joints);
      if (each.expression) draft_.names.add_value(each.name, {*each.expression, each.unit});
    }
    const auto nq = static_cast<std::size_t>(draft_.nq());
    const std::size_t all = nq + static_cast<std::size_t>(draft_.nw());
    for (std::size_t i = 0; i < all; ++i) {
      (i < nq ? draft_.statement.start_q : draft_.statement.start_w)
          .push_back(formula::substitute(draft_.graph, starts_[symbols_[i]].value, of_joints));
    }
  }

 private:
  struct Start {
    Id value = -1;
    std::optional<Written> written;
    std::vector<std::pair<formula::Span, Id>> leaves;
    bool is_done = false;
  };
  struct Named {
    int index;
    Sort sort;
    formula::Bindings bindings;
  };

  static std::vector<Named> targets_of(const Draft& draft, const Node& entry) {
    const formula::Meaning* meaning = draft.names.find(read_key(entry).name);
    const Sort sort = meaning != nullptr && meaning->sort == Sort::rate ? Sort::rate : Sort::coordinate;
    const std::vector<Sort> sorts =
        meaning != nullptr ? std::vector<Sort>{sort} : std::vector<Sort>{Sort::coordinate, Sort::rate};
    std::vector<Named> named;
    for (const Target& each : text_model::targets_of(draft, entry, sorts, "the start")) {
      if (sort == Sort::rate && each.index >= draft.nw()) {
        entry.fail(fmt::format("the start is by coordinate and {}, and this follows from them", draft.rates_word));
      }
      named.push_back({each.index, sort, each.bindings});
    }
    return named;
  }

  /// Finds the start of a coordinate or rate of a joint without those of other joints; `known`: all that are found.
  Id whole(Id symbol, std::map<Id, Id>& known) {
    if (const auto found = known.find(symbol); found != known.end()) return found->second;
    const auto is_of_joint = [&](const JointStart& each) { return each.symbol == symbol; };
    if (std::ranges::none_of(draft_.joint_starts, is_of_joint)) return symbol;
    const Id value = starts_[symbol].value;
    for (const Id needed : needs(value)) whole(needed, known);
    return known[symbol] = formula::substitute(draft_.graph, value, known);
  }

  void read_one(const Node& entry, const Written& written, Id symbol, const formula::Unit& unit,
                const formula::Bindings& bindings) {
    Start& start = starts_[symbol];
    if (start.written) entry.fail("this start is stated already");
    Wanted wanted;
    wanted.rules.allowed = formula::on_parameters | formula::on_coordinates | formula::on_rates;
    wanted.rules.whose = "a start";
    wanted.rules.made_of = "parameters, definitions and other starts";
    wanted.unit = unit;
    wanted.what = "the start of " + read_key(entry).name;
    std::vector<std::pair<formula::Span, Id>> leaves;
    start.value = draft_.of_rates(take(draft_, written, bindings, wanted, &leaves).id);
    if (!draft_.joint_symbols.empty()) {
      start.value = formula::substitute(draft_.graph, start.value, draft_.joint_symbols);
    }
    start.written = written;
    start.leaves = std::move(leaves);
  }

  std::vector<Id> needs(Id value) const {
    std::vector<Id> symbols = formula::symbols_in(draft_.graph, std::span(&value, 1), Op::coordinate);
    const std::vector<Id> rates = formula::symbols_in(draft_.graph, std::span(&value, 1), Op::rate);
    symbols.insert(symbols.end(), rates.begin(), rates.end());
    return symbols;
  }

  void check(Id symbol) {
    Start& start = starts_[symbol];
    if (start.is_done) return;
    const auto earlier = std::ranges::find(active_, symbol);
    if (earlier != active_.end()) fail_circle(static_cast<std::size_t>(earlier - active_.begin()));
    active_.push_back(symbol);
    for (const Id needed : needs(start.value)) check(needed);
    start.is_done = true;
    active_.pop_back();
  }

  std::string label(Id symbol) const {
    const auto joint = std::ranges::find(draft_.joint_starts, symbol, &JointStart::symbol);
    return joint != draft_.joint_starts.end() ? joint->name : draft_.names.label(draft_.graph[symbol]);
  }

  [[noreturn]] void fail_circle(std::size_t begin) const {
    std::vector<Id> members(active_.begin() + static_cast<std::ptrdiff_t>(begin), active_.end());
    // The starts of body coordinates are derived; those of joint coordinates are written in the text.
    const auto is_written = [&](Id symbol) { return starts_.at(symbol).written.has_value(); };
    std::ranges::rotate(members, std::ranges::find_if(members, is_written));
    std::string circle;
    for (const Id each : members) circle += label(each) + " -> ";
    const Id first = members.front();
    const Id next = members.size() > 1 ? members[1] : first;
    const Start& start = starts_.at(first);
    formula::Span span{0, start.written->syntax.text.size()};
    for (const auto& [at, id] : start.leaves) {
      const Id own = formula::substitute(draft_.graph, id, draft_.joint_symbols);
      if (!formula::depends_on_symbol(draft_.graph, own, next)) continue;
      span = at;
      break;
    }
    fail_at(start.written->node,
            formula::Fault(label(first) + " is defined by itself: " + circle + label(first), span));
  }

  Draft& draft_;
  std::vector<Id> symbols_;
  std::map<Id, Start> starts_;
  std::vector<Id> active_;
};

}  // namespace

void read_start(Draft& draft) {
  Starts starts(draft);
  if (const auto table = draft.section("start")) starts.read(*table);
  starts.finish();
}

}  // namespace kalaba::text_model
