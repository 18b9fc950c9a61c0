#include "formula/graph/term_sums.hpp"

#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "formula/graph/functions.hpp"
#include "formula/graph/traverse.hpp"

namespace kalaba::formula {
namespace {

/// A node and the sum of the magnitudes of its terms.
struct Sum {
  Id value;
  Id size;
  bool is_one_term;  ///< the size is the absolute value

  bool is_mask() const { return size < 0; }
};

class Writer {
 public:
  explicit Writer(Graph& graph) : graph_(graph) {}

  Sum sum_of(Id id, const std::array<Sum, 3>& arguments) {
    const Node node = graph_[id];
    const auto& [a, b, c] = arguments;
    const int count = argument_count(node.op);
    if (graph_.is_mask(id)) return {id, -1, false};
    bool is_one_term = true;
    for (int i = 0; i < count; ++i) {
      const Sum& each = arguments[static_cast<std::size_t>(i)];
      is_one_term = is_one_term && (each.is_mask() || each.is_one_term);
    }
    switch (node.op) {
      case Op::add:
      case Op::subtract:
        return {id, graph_.add(a.size, b.size), false};
      case Op::negate:
      case Op::abs:
        return {id, a.size, a.is_one_term};
      case Op::min:
      case Op::max:
        return {id, graph_.binary(Op::max, a.size, b.size), false};
      case Op::select:
        return {id, graph_.select(a.value, b.size, c.size), is_one_term};
      default:
        break;
    }
    if (is_one_term || node.op == Op::table) return {id, absolute(id), true};
    return {id, size_of(node, id, a, b), false};
  }

 private:
  Id absolute(Id id) { return graph_.unary(Op::abs, id); }
  Id number(double value) { return graph_.number(value); }
  /// Part of the size beyond that of one term.
  Id more(const Sum& of) { return of.is_one_term ? number(0) : graph_.subtract(of.size, absolute(of.value)); }
  /// This part relative to the value; 0 for a value of zero.
  Id excess(const Sum& of) {
    if (of.is_one_term) return number(0);
    const Id base = absolute(of.value);
    const Id is_some = graph_.binary(Op::less, number(0), base);
    return graph_.select(is_some, graph_.divide(more(of), graph_.select(is_some, base, number(1))), number(0));
  }

  /// Size of the result of an operation on sums.
  Id size_of(const Node& node, Id id, const Sum& a, const Sum& b) {
    Graph& g = graph_;
    const Id size = absolute(id);
    const auto times = [&](Id factor, Id excess) {
      return g.multiply(size, g.add(g.multiply(factor, excess), number(1)));
    };
    switch (node.op) {
      case Op::multiply:
        if (a.is_one_term) return g.multiply(a.size, b.size);
        return g.add(g.multiply(absolute(a.value), more(b)), g.multiply(a.size, absolute(b.value)));
      case Op::divide:
        return g.add(g.divide(g.add(more(a), g.multiply(size, more(b))), absolute(b.value)), size);
      case Op::raise:
        return times(number(std::abs(node.index)), excess(a));
      case Op::power:
        return g.add(times(absolute(b.value), excess(a)), g.multiply(size, more(b)));
      case Op::sqrt:
        return times(number(0.5), excess(a));
      default:
        break;
    }
    const Function* const function = function_of(node.op);
    if (function == nullptr || function->derivative == nullptr) return g.add(size, more(a));
    // To first order, by the slopes along the arguments.
    Id sum = size;
    for (const auto& [of, dx, dy] : {std::tuple(a, 1.0, 0.0), std::tuple(b, 0.0, 1.0)}) {
      if (of.value < 0 || of.is_one_term) continue;
      const Id other = b.value < 0 ? a.value : b.value;
      const Id slope = function->derivative(g, {id, a.value, other, number(dx), number(dy)});
      sum = g.add(sum, g.multiply(absolute(slope), more(of)));
    }
    return sum;
  }

  Graph& graph_;
};

}  // namespace

std::vector<Id> term_sums(Graph& graph, std::span<const Id> roots) {
  Writer writer(graph);
  std::map<Id, Sum> sums;
  for (const Id id : reachable(graph, roots)) {
    const Node node = graph[id];
    const Sum none = {-1, -1, true};
    std::array<Sum, 3> arguments = {none, none, none};
    for (int i = 0; i < argument_count(node.op); ++i) {
      const auto k = static_cast<std::size_t>(i);
      arguments[k] = sums.at(node.arguments[k]);
    }
    sums.emplace(id, writer.sum_of(id, arguments));
  }
  std::vector<Id> result;
  for (const Id root : roots) result.push_back(sums.at(root).size);
  return result;
}

}  // namespace kalaba::formula
