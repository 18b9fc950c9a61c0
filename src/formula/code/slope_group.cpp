#include "formula/code/slope_group.hpp"

#include <algorithm>
#include <span>

#include "formula/code/function_writer.hpp"
#include "formula/graph/differentiate.hpp"
#include "formula/graph/traverse.hpp"

namespace kalaba::formula {
namespace {

std::vector<Id> symbols(Graph& graph, Op kind, std::size_t count) {
  std::vector<Id> result;
  for (int i = 0; i < static_cast<int>(count); ++i) result.push_back(graph.symbol(kind, i));
  return result;
}

}  // namespace

SlopeGroup::SlopeGroup(Graph& graph, const Terms& terms, const Ids& columns, std::size_t directions,
                       const std::string& name)
    : g_(graph), columns_(columns), directions_(directions), nq_(terms.velocity.size()), nw_(terms.force.size()) {
  slopes_.name = name;
}

Id SlopeGroup::known() {
  slopes_.known.push_back(new_name());
  return slopes_.known.back();
}

std::vector<Id> SlopeGroup::known(std::size_t count) {
  Ids result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(known());
  return result;
}

Slopes SlopeGroup::of(const Ids& formulas, bool moving) {
  for (std::size_t i = 0; i < nq_; ++i) slopes_.dq.push_back(new_name());
  for (std::size_t i = 0; i < nw_; ++i) slopes_.dw.push_back(new_name());
  for (std::size_t i = 0; moving && i < slopes_.known.size(); ++i) slopes_.dx.push_back(new_name());
  add_own(formulas);
  const Direction direction = this->direction();
  const Slopes by_nodes = split(along(formulas, direction));
  const Slopes by_entries = entries(formulas, direction);
  return cost(by_entries) < cost(by_nodes) ? by_entries : by_nodes;
}

Id SlopeGroup::new_name() { return g_.symbol(Op::named, names_++); }

SlopeGroup::Direction SlopeGroup::direction() {
  Direction result;
  const auto add = [&](const Ids& of, const Ids& slopes) {
    for (std::size_t i = 0; i < slopes.size(); ++i) result[of[i]] = slopes[i];
  };
  add(symbols(g_, Op::coordinate, nq_), slopes_.dq);
  add(symbols(g_, Op::rate, nw_), slopes_.dw);
  add(slopes_.known, slopes_.dx);
  return result;
}

void SlopeGroup::add_own(const Ids& formulas) {
  for (const Id own : columns_) {
    slopes_.add_own.emplace_back();
    if (own >= 0) slopes_.add_own.back() = along(formulas, {{own, g_.number(1)}});
  }
}

/// Node by node: what several formulas share has one slope.
std::vector<Id> SlopeGroup::along(const Ids& formulas, const Direction& direction) {
  Tangent tangent(g_, direction, NormAtZero::zero);
  Ids result;
  for (const Id formula : formulas) result.push_back(tangent(formula));
  return result;
}

/// By the entries of their Jacobian, which are kept.
Slopes SlopeGroup::entries(const Ids& formulas, const Direction& direction) {
  Slopes result = slopes_;
  std::map<Id, Tangent> tangents;
  std::map<Id, Id> exchanged;
  for (const Id formula : formulas) {
    Id sum = g_.number(0);
    for (const Id symbol : reachable(g_, std::span(&formula, 1))) {
      const auto slope = direction.find(symbol);
      if (slope == direction.end()) continue;
      Tangent& tangent =
          tangents.try_emplace(symbol, g_, Direction{{symbol, g_.number(1)}}, NormAtZero::zero).first->second;
      const Id entry = tangent(formula);
      const bool moves = depends(
          Ids{entry}, [](Op op) { return is_symbol(op) && op != Op::parameter; })[static_cast<std::size_t>(entry)];
      sum = g_.add(sum, g_.multiply(moves ? keep(entry, result, exchanged) : entry, slope->second));
    }
    result.along.push_back(sum);
  }
  keep_own(result, exchanged);
  return result;
}

/// The symbol that stands for a kept value.
Id SlopeGroup::keep(Id id, Slopes& slopes, std::map<Id, Id>& exchanged) {
  if (const auto found = exchanged.find(id); found != exchanged.end()) return found->second;
  exchanged[id] = new_name();
  slopes.kept.push_back(id);
  slopes.kept_as.push_back(exchanged[id]);
  return exchanged[id];
}

/// Keeps the contributions of parameters that depend on the state.
void SlopeGroup::keep_own(Slopes& slopes, std::map<Id, Id>& exchanged) {
  for (Ids& own : slopes.add_own) {
    const std::vector<bool> varies = depends(own, [](Op op) { return is_symbol(op) && op != Op::parameter; });
    for (Id& each : own) {
      if (varies[static_cast<std::size_t>(each)]) each = keep(each, slopes, exchanged);
    }
  }
}

/// Keeps what slopes need that does not depend on the direction. A mask is made anew from kept numbers: there is no
/// place for it among them.
Slopes SlopeGroup::split(const Ids& along) {
  Slopes result = slopes_;
  const std::vector<bool> moves = depends(along, [](Op op) { return is_symbol(op) && op != Op::parameter; });
  const std::vector<bool> turns = depends(along, [&](Op) { return false; });
  const auto is = [](const std::vector<bool>& set, Id id) { return set[static_cast<std::size_t>(id)]; };
  std::map<Id, Id> exchanged;
  std::vector<bool> used = turns;
  const Ids order = reachable(g_, along);
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    if (!is(used, *at)) continue;
    const Node& node = g_[*at];
    for (int i = 0; i < argument_count(node.op); ++i) {
      const Id argument = node.arguments[static_cast<std::size_t>(i)];
      if (g_.is_mask(argument)) used[static_cast<std::size_t>(argument)] = true;
    }
  }
  for (const Id id : order) {
    if (!is(used, id)) continue;
    const Node node = g_[id];
    for (int i = 0; i < argument_count(node.op); ++i) {
      const Id argument = node.arguments[static_cast<std::size_t>(i)];
      if (!is(turns, argument) && is(moves, argument) && !g_.is_mask(argument)) keep(argument, result, exchanged);
    }
  }
  result.along = substitute(g_, along, exchanged);
  keep_own(result, exchanged);
  return result;
}

/// For every node: true if it depends on a slope or on a leaf of these kinds.
template <class Kind>
std::vector<bool> SlopeGroup::depends(const Ids& roots, const Kind& kind) const {
  std::vector<bool> result(g_.size());
  for (const auto* slopes : {&slopes_.dq, &slopes_.dw, &slopes_.dx}) {
    for (const Id slope : *slopes) result[static_cast<std::size_t>(slope)] = true;
  }
  for (const Id id : reachable(g_, roots)) {
    const Node& node = g_[id];
    bool found = result[static_cast<std::size_t>(id)] || kind(node.op);
    for (int i = 0; i < argument_count(node.op); ++i) {
      found = found || result[static_cast<std::size_t>(node.arguments[static_cast<std::size_t>(i)])];
    }
    result[static_cast<std::size_t>(id)] = found;
  }
  return result;
}

/// Operations of all directions of a stage.
long SlopeGroup::cost(const Slopes& slopes) const {
  const auto operations = [&](const Ids& roots) {
    FunctionWriter body(g_, nullptr, "");
    for (const Id name : reachable(g_, roots)) {
      if (g_[name].op == Op::named) body.call(name, "x");
    }
    body.fuse();
    body.compute(roots);
    return body.operations();
  };
  const long kept = operations(slopes.kept) + static_cast<long>(slopes.kept.size());
  return kept + static_cast<long>(directions_) * operations(slopes.along);
}

}  // namespace kalaba::formula
