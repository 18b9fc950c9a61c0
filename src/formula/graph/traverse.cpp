#include "formula/graph/traverse.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>

namespace kalaba::formula {

std::vector<Id> reachable(const Graph& graph, std::span<const Id> roots) {
  constexpr std::size_t bits = 64;  // ids a word: a few nodes of a large graph are found without a look at the others
  std::vector<std::uint64_t> waiting(graph.size() / bits + 1);
  const auto add = [&](Id id) {
    const auto at = static_cast<std::size_t>(id);
    waiting[at / bits] |= std::uint64_t(1) << at % bits;
  };
  for (const Id root : roots) add(root);
  std::vector<Id> result;
  for (std::size_t word = waiting.size(); word-- > 0;) {
    while (waiting[word] != 0) {
      const auto last = static_cast<std::size_t>(std::bit_width(waiting[word])) - 1;
      waiting[word] ^= std::uint64_t(1) << last;  // for good: arguments have lower ids
      const auto id = static_cast<Id>(word * bits + last);
      result.push_back(id);
      const Node& node = graph[id];
      for (int i = 0; i < argument_count(node.op); ++i) add(node.arguments[static_cast<std::size_t>(i)]);
    }
  }
  std::ranges::reverse(result);
  return result;
}

namespace {

std::vector<Id> reachable(const Graph& graph, Id root) { return formula::reachable(graph, std::span(&root, 1)); }

}  // namespace

bool depends_on(const Graph& graph, Id id, Op kind) {
  return std::ranges::any_of(reachable(graph, id), [&](Id each) { return graph[each].op == kind; });
}

bool depends_on_symbol(const Graph& graph, Id id, Id symbol) {
  return std::ranges::binary_search(reachable(graph, id), symbol);
}

std::vector<Id> symbols_in(const Graph& graph, std::span<const Id> roots, Op kind) {
  std::vector<Id> result;
  for (const Id id : reachable(graph, roots)) {
    if (graph[id].op == kind) result.push_back(id);
  }
  std::ranges::sort(result, {}, [&](Id id) { return graph[id].index; });
  return result;
}

std::vector<Id> addends(Graph& graph, Id id) {
  std::vector<Id> result;
  std::vector<std::pair<Id, double>> waiting = {{id, 1.0}};
  while (!waiting.empty()) {
    const auto [at, factor] = waiting.back();
    waiting.pop_back();
    const Node node = graph[at];
    const auto inner = node.op == Op::multiply ? graph[node.arguments[1]].op : Op::number;
    const auto scale = node.op == Op::multiply ? graph.constant(node.arguments[0]) : std::nullopt;
    int exponent = 0;
    if (node.op == Op::add || node.op == Op::subtract) {
      waiting.emplace_back(node.arguments[1], node.op == Op::add ? factor : -factor);
      waiting.emplace_back(node.arguments[0], factor);
    } else if (node.op == Op::negate) {
      waiting.emplace_back(node.arguments[0], -factor);
    } else if ((inner == Op::add || inner == Op::subtract) && scale && std::abs(std::frexp(*scale, &exponent)) == 0.5) {
      waiting.emplace_back(node.arguments[1], factor * *scale);
    } else {
      result.push_back(graph.multiply(graph.number(factor), at));
    }
  }
  return result;
}

Id rebuilt(Graph& graph, const Node& node, Id a, Id b, Id c) {
  if (node.op == Op::select) return graph.select(a, b, c);
  if (node.op == Op::raise) return graph.raise(a, node.index);
  if (node.op == Op::table) return graph.table(TableUse::of(node.index), a);
  return argument_count(node.op) == 2 ? graph.binary(node.op, a, b) : graph.unary(node.op, a);
}

std::vector<Id> substitute(Graph& graph, std::span<const Id> roots, const std::map<Id, Id>& exchanged) {
  std::map<Id, Id> now;
  for (const Id id : formula::reachable(graph, roots)) {
    const Node node = graph[id];
    const auto replaced = exchanged.find(id);
    if (replaced != exchanged.end()) {
      now[id] = replaced->second;
    } else if (argument_count(node.op) == 0) {
      now[id] = id;
    } else {
      const auto argument = [&](std::size_t i) { return node.arguments[i] < 0 ? -1 : now.at(node.arguments[i]); };
      const bool same =
          argument(0) == node.arguments[0] && argument(1) == node.arguments[1] && argument(2) == node.arguments[2];
      now[id] = same ? id : rebuilt(graph, node, argument(0), argument(1), argument(2));
    }
  }
  std::vector<Id> result;
  for (const Id root : roots) result.push_back(now.at(root));
  return result;
}

Id substitute(Graph& graph, Id root, const std::map<Id, Id>& exchanged) {
  return substitute(graph, std::span(&root, 1), exchanged)[0];
}

namespace {

int degree_of(const Node& node, int a, int b, int c) {
  const auto bounded = [](int degree) { return std::min(degree, not_polynomial); };
  const bool constant = a == 0 && b == 0 && c == 0;
  switch (node.op) {
    case Op::add:
    case Op::subtract:
      return std::max(a, b);
    case Op::multiply:
      return bounded(a + b);
    case Op::divide:
      return b == 0 ? a : not_polynomial;
    case Op::negate:
      return a;
    case Op::raise:
      return a == 0 ? 0 : node.index < 0 || a == not_polynomial ? not_polynomial : bounded(a * node.index);
    case Op::select:
      return a == 0 ? std::max(b, c) : not_polynomial;
    default:
      return constant ? 0 : not_polynomial;
  }
}

std::map<Id, int> degrees_where(const Graph& graph, Id root, const std::function<bool(Id)>& counts) {
  std::map<Id, int> degrees;
  for (const Id id : reachable(graph, root)) {
    const Node& node = graph[id];
    const auto argument = [&](std::size_t i) {
      return static_cast<int>(i) < argument_count(node.op) ? degrees.at(node.arguments[i]) : 0;
    };
    degrees[id] = counts(id) ? 1 : degree_of(node, argument(0), argument(1), argument(2));
  }
  return degrees;
}

}  // namespace

std::map<Id, int> all_degrees(const Graph& graph, Id id, Op kind) {
  return degrees_where(graph, id, [&](Id each) { return graph[each].op == kind; });
}

int degree(const Graph& graph, Id id, Op kind) { return all_degrees(graph, id, kind).at(id); }

int degree_in(const Graph& graph, Id id, Id symbol) {
  return degrees_where(graph, id, [&](Id each) { return each == symbol; }).at(id);
}

}  // namespace kalaba::formula
