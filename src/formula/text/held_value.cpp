#include "formula/text/held_value.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "formula/graph/program.hpp"
#include "formula/graph/traits.hpp"

namespace kalaba::formula {
namespace {

constexpr std::size_t least_states = 2;
constexpr double held_share = 1e-6;  // of the value beside; values that are not held are about as large there

double value_at(const Program& program, const ConstrainedStates::Numbers& state) {
  Inputs inputs;
  inputs.parameters = state.p.data();
  inputs.coordinates = state.q.data();
  inputs.rates = state.w.data();
  inputs.time = &state.t;
  return program(inputs).front();
}

bool hold(const ConstrainedStates& constrained, const Program& program) {
  return constrained.states.size() >= least_states && std::ranges::all_of(constrained.states, [&](const auto& each) {
           const double value = std::abs(value_at(program, each.at));
           const double beside = std::abs(value_at(program, each.beside));
           return std::isfinite(beside) && beside > 0 && value <= held_share * beside;
         });
}

}  // namespace

Id zero_while_held(Graph& graph, Id value, const SystemInfo& system) {
  if (!system.constrained_states) return value;
  const unsigned kinds = Traits(graph).depends_on(value);
  if ((kinds & (on_coordinates | on_rates)) == 0 || (kinds & (on_ideal_force | on_observed)) != 0) return value;
  const Program program(graph, std::span(&value, 1));
  const Id zero = graph.number(0);
  Id modes = zero;  // positive while a constraint holds the value
  for (const ConstrainedStates& each : system.constrained_states()) {
    if (!hold(each, program)) continue;
    if (each.mode < 0) return zero;
    modes = graph.add(modes, graph.unary(Op::abs, graph.symbol(Op::parameter, each.mode)));
  }
  return modes == zero ? value : graph.select(graph.binary(Op::less, zero, modes), zero, value);
}

Id with_held_differences(Graph& graph, Id condition, const SystemInfo& system) {
  const Node node = graph[condition];
  const auto of = [&](std::size_t i) { return with_held_differences(graph, node.arguments[i], system); };
  switch (node.op) {
    case Op::less:
    case Op::less_equal: {
      const Id difference = graph.subtract(node.arguments[1], node.arguments[0]);
      const Id held = zero_while_held(graph, difference, system);
      return held == difference ? condition : graph.binary(node.op, graph.number(0), held);
    }
    case Op::both:
    case Op::either:
      return graph.binary(node.op, of(0), of(1));
    case Op::negation:
      return graph.unary(node.op, of(0));
    default:
      return condition;
  }
}

}  // namespace kalaba::formula
