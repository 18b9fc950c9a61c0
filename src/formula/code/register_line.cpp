#include "formula/code/register_line.hpp"

#include <algorithm>
#include <array>

#include "formula/graph/registers.hpp"
#include "formula/graph/traverse.hpp"

namespace kalaba::formula {
namespace {

Op fused(Op op) {
  switch (op) {
    case Op::multiply_add:
      return Op::fused_add;
    case Op::multiply_subtract:
      return Op::fused_subtract;
    case Op::subtract_multiplied:
      return Op::subtract_fused;
    default:
      return op;
  }
}

RegisterStep copy(int from, int to) {
  RegisterStep step;
  step.to = static_cast<std::uint16_t>(to);
  step.a = static_cast<std::uint16_t>(from);
  return step;
}

}  // namespace

/// A step before it has registers.
struct RegisterLine::Draft {
  Id id;
  Op operation;
  std::array<Id, 3> from;
  int count;
  int index;
};

RegisterLine::RegisterLine(const Graph& graph, const Hoisted& hoisted, std::span<const Id> used, int first,
                           InterpretedModel& model)
    : graph_(graph), hoisted_(hoisted), model_(model), first_(first), end_(first) {
  const RegisterMap& map = model.map;
  for (const Id id : reachable(graph, used)) {
    const Node& node = graph[id];
    if (node.op == Op::number) {
      fixed_[id] = first_;
      model_.constants.push_back({first_++, node.value});
    }
    if (node.op == Op::coordinate) fixed_[id] = map.q() + node.index;
    if (node.op == Op::rate) fixed_[id] = map.w() + node.index;
    if (node.op == Op::time) fixed_[id] = map.t();
    if (node.op == Op::ideal) {
      const bool is_force = node.index < model.rates;
      fixed_[id] = is_force ? map.along() + node.index : map.multipliers() + node.index - model.rates;
    }
    if (node.op == Op::parameter) fixed_[id] = map.parameters() + node.index;
  }
  for (const Id id : hoisted.entries()) {
    if (graph[id].op != Op::parameter) fixed_[id] = first_++;
  }
  end_ = first_;
}

/// Once a member all that is needed is computed, also masks, which the state's steps compute again.
bool RegisterLine::is_computed(Id id, bool of_state) const {
  const Op op = graph_[id].op;
  return op != Op::number && !is_symbol(op) && (!of_state || hoisted_.of_state(id));
}

/// Returns the two factors of a product or of a square.
std::optional<std::array<Id, 2>> RegisterLine::factors_of(Id id) const {
  const Node& node = graph_[id];
  if (node.op == Op::multiply) return std::array{node.arguments[0], node.arguments[1]};
  if (node.op == Op::raise && node.index == 2) return std::array{node.arguments[0], node.arguments[0]};
  return std::nullopt;
}

/// A product that is used by one sum only is computed with the sum.
std::vector<RegisterLine::Draft> RegisterLine::draft(std::span<const Id> roots, const std::map<Id, int>& places,
                                                     bool of_state) const {
  const std::vector<Id> order = reachable(graph_, roots);
  std::map<Id, int> uses;
  for (const Id id : order) {
    if (!is_computed(id, of_state)) continue;
    for (int i = 0; i < argument_count(graph_[id].op); ++i) ++uses[graph_[id].arguments[static_cast<std::size_t>(i)]];
  }
  const auto joins = [&](Id id) {
    return factors_of(id) && is_computed(id, of_state) && uses[id] == 1 && !places.contains(id);
  };
  std::vector<Draft> drafts;
  std::map<Id, bool> joined;
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const Id id = *at;
    if (!is_computed(id, of_state) || joined.contains(id)) continue;
    const Node& node = graph_[id];
    Draft draft = {id, node.op, node.arguments, argument_count(node.op), node.index};
    if (const auto factors = factors_of(id)) draft = {id, Op::multiply, {(*factors)[0], (*factors)[1], -1}, 2, 0};
    const auto join = [&](Id product, Id other, Op operation) {
      joined[product] = true;
      const auto [first, second] = *factors_of(product);
      draft = {id, operation, {first, second, other}, 3, 0};
    };
    const auto [a, b, c] = node.arguments;
    const bool adds = node.op == Op::add;
    if ((adds || node.op == Op::subtract) && joins(a)) {
      join(a, b, adds ? Op::multiply_add : Op::multiply_subtract);
    } else if ((adds || node.op == Op::subtract) && joins(b)) {
      join(b, a, adds ? Op::multiply_add : Op::subtract_multiplied);
    }
    drafts.push_back(draft);
  }
  std::ranges::reverse(drafts);
  return drafts;
}

/// `places`: where values belong; others get registers that are used again.
RegisterSteps RegisterLine::line(std::span<const Id> roots, std::map<Id, int> places, bool of_state, bool fuses) {
  const std::vector<Draft> drafts = draft(roots, places, of_state);
  const std::map<Id, int> homes = places;
  std::map<Id, int> left;
  for (const Draft& each : drafts) {
    for (int i = 0; i < each.count; ++i) ++left[each.from[static_cast<std::size_t>(i)]];
  }
  Registers registers(first_);
  RegisterSteps steps;
  for (const Draft& each : drafts) {
    std::array<std::uint16_t, 3> from = {};
    for (std::size_t i = 0; i < static_cast<std::size_t>(each.count); ++i) {
      const auto found = places.find(each.from[i]);
      from[i] = static_cast<std::uint16_t>(found != places.end() ? found->second : fixed_.at(each.from[i]));
    }
    // A register may be written by the operation that reads it last: lanes do not mix.
    for (std::size_t i = 0; i < static_cast<std::size_t>(each.count); ++i) {
      const Id id = each.from[i];
      if (--left[id] == 0 && is_computed(id, of_state) && !homes.contains(id)) registers.give_back(places.at(id));
    }
    const auto home = homes.find(each.id);
    const int to = home != homes.end() ? home->second : registers.take();
    places[each.id] = to;
    const int index = each.operation == Op::table ? table_of(each.index) : each.index;
    const Op operation = fuses ? fused(each.operation) : each.operation;
    steps.push_back({operation, static_cast<std::uint16_t>(to), from[0], from[1], from[2], index});
  }
  end_ = std::max(end_, registers.end());
  return steps;
}

RegisterSteps RegisterLine::steps(const Wanted& wanted, bool kept, bool fuses) {
  std::vector<Id> roots;
  std::map<Id, int> places;
  Wanted again;
  for (const auto& [id, to] : wanted) {
    if (is_computed(id, true)) {
      roots.push_back(id);
      if (!places.try_emplace(id, to).second) again.emplace_back(id, to);
    } else if (kept && graph_[id].op == Op::number) {
      model_.constants.push_back({to, graph_[id].value});
    } else if (kept && !hoisted_.of_state(id)) {
      copies_.push_back(copy(fixed_.at(id), to));
    } else {
      again.emplace_back(id, to);
    }
  }
  RegisterSteps result = line(roots, places, true, fuses);
  for (const auto& [id, to] : again) {
    const auto found = places.find(id);
    result.push_back(copy(found != places.end() ? found->second : fixed_.at(id), to));
  }
  return result;
}

RegisterSteps RegisterLine::prepare() {
  std::map<Id, int> places;
  for (const Id id : hoisted_.entries()) {
    if (graph_[id].op != Op::parameter) places[id] = fixed_.at(id);
  }
  RegisterSteps result = line(hoisted_.entries(), places, false, false);
  result.insert(result.end(), copies_.begin(), copies_.end());
  return result;
}

int RegisterLine::table_of(int use) {
  const auto [found, is_new] = tables_.try_emplace(use, static_cast<int>(model_.tables.size()));
  if (is_new) {
    const auto [table, order] = TableUse::of(use);
    const Table& given = *graph_.tables()[static_cast<std::size_t>(table)];
    model_.tables.push_back({given.rows(), given.degree(), given.count(), order});
  }
  return found->second;
}

}  // namespace kalaba::formula
