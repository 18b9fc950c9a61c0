#include "formula/graph/zero_terms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "formula/graph/evaluate.hpp"
#include "formula/graph/functions.hpp"
#include "formula/graph/traverse.hpp"

namespace kalaba::formula {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr int least_votes = 4;
constexpr double most_relative_error = 1e-6;
/// Sizes of what is added to typical values; 0: the values are multiplied by random factors alone.
constexpr std::array<double, 14> scales = {0, 1, 0, 0.1, 10, 1e-3, 1e3, 0, 1, 1e-6, 1e6, 1e9, 0.3, 3};

/// A number and a bound on its rounding error.
struct Rounded {
  double value = 0;
  double error = 0;
};

bool is_sum(Op op) { return op == Op::add || op == Op::subtract; }

bool is_piecewise(Op op) {
  const Function* const function = function_of(op);
  return op == Op::table || op >= Op::less || (function != nullptr && function->kinked);
}

/// A function of rounded arguments, by its values at the ends of their intervals.
Rounded of_intervals(Op op, const std::array<Rounded, 3>& arguments, int count, int index) {
  const auto value_at = [&](int corner) {
    std::array<double, 3> x{};
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const int side = corner / (i == 0 ? 1 : 3) % 3 - 1;
      x[at] = arguments[at].value + side * arguments[at].error;
    }
    return evaluate(op, x[0], x[1], x[2], index);
  };
  const int corners = count == 1 ? 3 : 9;
  Rounded result = {value_at(corners / 2), 0};
  for (int corner = 0; corner < corners; ++corner) {
    const double change = std::abs(value_at(corner) - result.value);
    result.error = std::isnan(change) ? infinite : std::max(result.error, change);
  }
  result.error += 4 * epsilon * std::abs(result.value);
  return result;
}

class Search {
 public:
  Search(const Graph& graph, const std::vector<Id>& roots, const TypicalValues& about)
      : graph_(graph), about_(about), order_(reachable(graph, roots)), found_(graph.size()) {
    for (const Id id : order_) {
      const Node& node = graph[id];
      bool piecewise = is_piecewise(node.op);
      for_arguments(node, [&](Id argument) { piecewise = piecewise || at(argument).piecewise; });
      at(id).piecewise = piecewise;
    }
  }

  std::map<Id, Id> zeros(Id zero) {
    for (const double scale : scales) look(scale);
    std::map<Id, Id> result;
    for (const Id id : order_) {
      const Found& found = at(id);
      if (found.votes >= least_votes && !found.differs) result[id] = zero;
    }
    return result;
  }

 private:
  struct Found {
    bool piecewise = false;
    bool differs = false;  ///< from zero, at some point
    int votes = 0;         ///< points where it vanishes
    Rounded number;        ///< at the present point
  };

  Found& at(Id id) { return found_[static_cast<std::size_t>(id)]; }

  template <class Work>
  static void for_arguments(const Node& node, Work work) {
    for (int i = 0; i < argument_count(node.op); ++i) work(node.arguments[static_cast<std::size_t>(i)]);
  }

  double random() { return std::ldexp(static_cast<double>(random_() >> 11), -52) - 1; }

  double typical(const std::vector<double>& values, int index, double scale) {
    const auto i = static_cast<std::size_t>(index);
    const double value = i < values.size() ? values[i] : 0;
    return value * (1 + random() / 2) + scale * random();
  }

  void look(double scale) {
    std::map<Id, double> symbols;
    for (const Id id : order_) {
      const Node& node = graph_[id];
      Found& found = at(id);
      if (node.op == Op::number) {
        found.number = {node.value, epsilon * std::abs(node.value)};
      } else if (is_symbol(node.op)) {
        const double value = node.op == Op::parameter    ? typical(about_.parameters, node.index, scale)
                             : node.op == Op::coordinate ? typical(about_.coordinates, node.index, scale)
                                                         : (scale == 0 ? 1 : scale) * random();
        found.number = {value, epsilon * std::abs(value)};
      } else {
        found.number = found.piecewise ? Rounded{0, infinite} : of_node(node);
        if (is_sum(node.op)) vote(node, found);
      }
    }
  }

  void vote(const Node& node, Found& found) {
    const auto [value, error] = found.number;
    if (!std::isfinite(value) || !std::isfinite(error)) return;
    const double size = std::abs(at(node.arguments[0]).number.value) + std::abs(at(node.arguments[1]).number.value);
    if (std::abs(value) > 2 * error) {
      found.differs = true;
    } else if (size > 0 && error <= most_relative_error * size) {
      ++found.votes;
    }
  }

  Rounded of_node(const Node& node) {
    std::array<Rounded, 3> x{};
    int count = 0;
    for_arguments(node, [&](Id argument) { x[static_cast<std::size_t>(count++)] = at(argument).number; });
    const auto [a, b, c] = x;
    const double value = evaluate(node.op, a.value, b.value, c.value, node.index);
    const double rounding = epsilon * std::abs(value);
    switch (node.op) {
      case Op::add:
      case Op::subtract:
        return {value, a.error + b.error + rounding};
      case Op::multiply:
        return {value, std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error + rounding};
      case Op::divide: {
        const double least = std::abs(b.value) - b.error;
        return {value, least > 0 ? (a.error + std::abs(value) * b.error) / least + rounding : infinite};
      }
      case Op::negate:
        return {value, a.error};
      default:
        return of_intervals(node.op, x, count, node.index);
    }
  }

  const Graph& graph_;
  const TypicalValues& about_;
  std::vector<Id> order_;
  std::vector<Found> found_;
  std::mt19937_64 random_{20'261'126};
};

}  // namespace

std::vector<Id> without_zeros(Graph& graph, const std::vector<Id>& roots, const TypicalValues& about) {
  const Id zero = graph.number(0);
  const std::map<Id, Id> zeros = Search(graph, roots, about).zeros(zero);
  return zeros.empty() ? roots : substitute(graph, roots, zeros);
}

}  // namespace kalaba::formula
