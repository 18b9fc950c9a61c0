#include "formula/graph/traits.hpp"

#include <algorithm>

namespace kalaba::formula {

const Traits::Trait& Traits::of(Id id) {
  while (traits_.size() <= static_cast<std::size_t>(id)) {
    traits_.push_back(trait_of(graph_[static_cast<Id>(traits_.size())]));
  }
  return traits_[static_cast<std::size_t>(id)];
}

Traits::Trait Traits::trait_of(const Node& node) const {
  switch (node.op) {
    case Op::number:
      return {};
    case Op::parameter:
      return {on_parameters, 0};
    case Op::time:
      return {on_time, 0};
    case Op::coordinate:
      return {on_coordinates, 0};
    case Op::rate:
      return {on_rates, 1};
    case Op::ideal:
      return {on_ideal_force, no_polynomial};
    case Op::observed:
      return {on_observed, no_polynomial};
    default:
      break;
  }
  Trait trait;
  for (int i = 0; i < argument_count(node.op); ++i) {
    trait.kinds |= traits_[static_cast<std::size_t>(node.arguments[static_cast<std::size_t>(i)])].kinds;
  }
  trait.degree = std::min(degree_of(node), no_polynomial);
  return trait;
}

int Traits::degree_of(const Node& node) const {
  const auto degree = [&](std::size_t i) { return traits_[static_cast<std::size_t>(node.arguments[i])].degree; };
  switch (node.op) {
    case Op::add:
    case Op::subtract:
      return std::max(degree(0), degree(1));
    case Op::multiply:
      return degree(0) + degree(1);
    case Op::negate:
      return degree(0);
    case Op::divide:
      return degree(1) > 0 ? no_polynomial : degree(0);
    case Op::raise:
      return node.index >= 0 ? degree(0) * node.index : (degree(0) > 0 ? no_polynomial : 0);
    case Op::select:
      return degree(0) > 0 ? no_polynomial : std::max(degree(1), degree(2));
    default:
      break;
  }
  for (int i = 0; i < argument_count(node.op); ++i) {
    if (degree(static_cast<std::size_t>(i)) > 0) return no_polynomial;
  }
  return 0;
}

Id Traits::symbol_in(Id id, Op kind) const {
  std::vector<bool> seen(static_cast<std::size_t>(id) + 1, false);
  std::vector<Id> open = {id};
  while (!open.empty()) {
    const Id now = open.back();
    open.pop_back();
    if (seen[static_cast<std::size_t>(now)]) continue;
    seen[static_cast<std::size_t>(now)] = true;
    const Node& node = graph_[now];
    if (node.op == kind) return now;
    for (int i = argument_count(node.op) - 1; i >= 0; --i) open.push_back(node.arguments[static_cast<std::size_t>(i)]);
  }
  return -1;
}

}  // namespace kalaba::formula
