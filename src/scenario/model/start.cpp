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
      starts_[symbols_[i]].value = draft.graph.number(has_default ? draft.coordinate_starts[i] : 0);
    }
  }

  void read(const Node& table) {
    for (const Node& entry : table.entries()) {
      const Written written = read_written(entry);
      for (const Named& target : targets_of(draft_, entry)) read_one(entry, written, target);
    }
  }

  void finish() {
    for (const Id symbol : symbols_) check(symbol);
    const auto nq = static_cast<std::size_t>(draft_.nq());
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      (i < nq ? draft_.statement.start_q : draft_.statement.start_w).push_back(starts_[symbols_[i]].value);
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

  void read_one(const Node& entry, const Written& written, const Named& target) {
    const bool is_rate = target.sort == Sort::rate;
    const auto at = static_cast<std::size_t>(target.index);
    Start& start = starts_[draft_.graph.symbol(is_rate ? Op::rate : Op::coordinate, target.index)];
    if (start.written) entry.fail("this start is stated already");
    Wanted wanted;
    wanted.rules.allowed = formula::on_parameters | formula::on_coordinates | formula::on_rates;
    wanted.rules.whose = "a start";
    wanted.rules.made_of = "parameters, definitions and other starts";
    wanted.unit = is_rate ? draft_.rate_units[at] : draft_.coordinate_units[at];
    wanted.what = "the start of " + read_key(entry).name;
    std::vector<std::pair<formula::Span, Id>> leaves;
    start.value = draft_.of_rates(take(draft_, written, target.bindings, wanted, &leaves).id);
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

  std::string label(Id symbol) const { return draft_.names.label(draft_.graph[symbol]); }

  [[noreturn]] void fail_circle(std::size_t begin) const {
    std::string circle;
    for (std::size_t i = begin; i < active_.size(); ++i) circle += label(active_[i]) + " -> ";
    const Id first = active_[begin];
    const Id next = begin + 1 < active_.size() ? active_[begin + 1] : first;
    const Start& start = starts_.at(first);
    formula::Span span{0, start.written->syntax.text.size()};
    for (const auto& [at, id] : start.leaves) {
      if (!formula::depends_on_symbol(draft_.graph, id, next)) continue;
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
