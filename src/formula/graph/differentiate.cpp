#include "formula/graph/differentiate.hpp"

#include "formula/graph/functions.hpp"
#include "formula/graph/traverse.hpp"

namespace kalaba::formula {

namespace {

/// Returns true if an expression is a sum of even powers with positive factors.
bool is_sum_of_squares(const Graph& graph, Id root) {
  std::vector<Id> waiting = {root};
  while (!waiting.empty()) {
    const Node node = graph[waiting.back()];
    waiting.pop_back();
    const auto [x, y, none] = node.arguments;
    if (node.op == Op::raise && node.index > 0 && node.index % 2 == 0) continue;
    if (node.op == Op::add) {
      waiting.insert(waiting.end(), {x, y});
    } else if (node.op == Op::multiply && graph.constant(x).value_or(0) > 0) {
      waiting.push_back(y);
    } else if (node.op == Op::multiply && graph.constant(y).value_or(0) > 0) {
      waiting.push_back(x);
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

Id derivative(Graph& graph, Id f, Id symbol) { return Tangent(graph, {{symbol, graph.number(1)}})(f); }

Id Tangent::known(Id id) const {
  const auto found = known_.find(id);
  return found == known_.end() ? -1 : found->second;
}

/// Uses no recursion: an expression may be as deep as it is long.
Id Tangent::operator()(Id root) {
  std::vector<Id> waiting = {root};
  while (!waiting.empty()) {
    const Id id = waiting.back();
    if (known(id) >= 0) {
      waiting.pop_back();
      continue;
    }
    if (graph_.is_mask(id)) {
      known_[id] = graph_.number(0);
      continue;
    }
    const Node node = graph_[id];
    const std::size_t before = waiting.size();
    for (int i = 0; i < argument_count(node.op); ++i) {
      const Id argument = node.arguments[static_cast<std::size_t>(i)];
      if (known(argument) < 0) waiting.push_back(argument);
    }
    if (waiting.size() > before) continue;
    known_[id] = of_node(id);
    waiting.pop_back();
  }
  return known_.at(root);
}

Id Tangent::of_node(Id id) {
  const Node node = graph_[id];
  const auto [x, y, z] = node.arguments;
  const Id dx = x < 0 ? -1 : known(x);
  const Id dy = y < 0 ? -1 : known(y);
  Graph& g = graph_;
  switch (node.op) {
    case Op::add:
      return g.add(dx, dy);
    case Op::subtract:
      return g.subtract(dx, dy);
    case Op::negate:
      return g.negate(dx);
    case Op::multiply:
      return of_product(node, dx, dy);
    case Op::divide:
      return of_quotient(id, node, dx, dy);
    case Op::raise:
      return g.multiply(g.multiply(g.number(node.index), g.raise(x, node.index - 1)), dx);
    case Op::power:
      return of_power(id, node, dx, dy);
    case Op::select:
      return g.select(x, dy, known(z));
    case Op::table: {
      const TableUse use = TableUse::of(node.index);
      return g.is_number(dx, 0) ? dx : g.multiply(g.table({use.table, use.order + 1}, x), dx);
    }
    default:
      break;
  }
  const int count = argument_count(node.op);
  if (count == 0 || (count == 1 && g.is_number(dx, 0))) return g.number(0);
  const Id slope = function_of(node.op)->derivative(g, {id, x, y, dx, dy});
  if (node.op != Op::sqrt || norm_at_zero_ == NormAtZero::undefined || !is_sum_of_squares(g, x)) return slope;
  return g.select(g.binary(Op::less, g.number(0), id), slope, g.number(0));
}

/// (a b)' = a' b + a b'
Id Tangent::of_product(const Node& node, Id da, Id db) {
  return graph_.add(graph_.multiply(da, node.arguments[1]), graph_.multiply(node.arguments[0], db));
}

/// (a / b)' = (a' - (a / b) b') / b
Id Tangent::of_quotient(Id id, const Node& node, Id da, Id db) {
  return graph_.divide(graph_.subtract(da, graph_.multiply(id, db)), node.arguments[1]);
}

/// (a^b)' = b a^(b - 1) a' + a^b log(a) b'
Id Tangent::of_power(Id id, const Node& node, Id da, Id db) {
  Graph& g = graph_;
  const auto [a, b, none] = node.arguments;
  const Id by_base =
      g.is_number(da, 0) ? da : g.multiply(g.multiply(b, g.binary(Op::power, a, g.subtract(b, g.number(1)))), da);
  const Id by_exponent = g.is_number(db, 0) ? db : g.multiply(g.multiply(id, g.unary(Op::log, a)), db);
  return g.add(by_base, by_exponent);
}

}  // namespace kalaba::formula
