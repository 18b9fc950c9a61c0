#include "formula/mechanics/series.hpp"

#include <algorithm>

#include "formula/graph/functions.hpp"
#include "formula/graph/traverse.hpp"
#include "kalaba/error.hpp"

namespace kalaba::formula {
namespace {

using Ids = std::vector<Id>;

[[noreturn]] void refuse_series(const std::string& what) {
  throw Error(ExitCode::bad_input, "solver.integrator = \"taylor\" does not support " + what + "; use \"dop853\"");
}

class SeriesPass {
 public:
  SeriesPass(Graph& graph, const Terms& terms) : g_(graph), s_(terms) {}

  Series series() {
    if (s_.actuation.cols > 0) refuse_series("servo-constraints");
    if (!s_.non_ideal.empty()) refuse_series("non-ideal constraint forces");
    result_.w_dot = symbols(0, s_.force.size());
    result_.lambda = symbols(s_.force.size(), static_cast<std::size_t>(s_.A.rows));
    result_.positions = s_.phi;
    if (!s_.velocity_is_w) result_.velocity = s_.velocity;
    result_.rates = s_.psi;
    result_.residual = residual();
    find_nodes();
    return std::move(result_);
  }

 private:
  Ids symbols(std::size_t first, std::size_t count) {
    Ids ids;
    for (std::size_t i = 0; i < count; ++i) ids.push_back(g_.symbol(Op::named, static_cast<int>(first + i)));
    return ids;
  }

  Ids residual() {
    const int n = static_cast<int>(s_.force.size());
    const bool momenta = s_.formulation == Formulation::hamilton;
    Ids held = result_.w_dot;
    if (momenta) {
      for (std::size_t i = 0; i < held.size(); ++i) held[i] = g_.subtract(held[i], s_.force[i]);
    }
    Ids sums(held.size(), g_.number(0));
    const auto add = [&](int to, Id factor, Id x) {
      Id& sum = sums[static_cast<std::size_t>(to)];
      sum = g_.add(sum, g_.multiply(factor, x));
    };
    for (int i = 0; i < n; ++i) {
      for (int j = s_.diagonal ? i : 0; j < (s_.diagonal ? i + 1 : n); ++j) {
        add(i, s_.metric_entry(std::max(i, j), std::min(i, j)), held[static_cast<std::size_t>(j)]);
      }
    }
    Ids reaction(held.size(), g_.number(0));
    for (int r = 0; r < s_.A.rows; ++r) {
      for (int j = 0; j < n; ++j) {
        Id& sum = reaction[static_cast<std::size_t>(j)];
        sum = g_.add(sum, g_.multiply(s_.A(r, j), result_.lambda[static_cast<std::size_t>(r)]));
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (!momenta) sums[i] = g_.subtract(sums[i], s_.force[i]);
      sums[i] = g_.subtract(sums[i], reaction[i]);
    }
    return sums;
  }

  /// Finds the nodes of the formulas, and of the slopes of their functions, and so on.
  void find_nodes() {
    Ids roots = result_.residual;
    for (const Ids* part : {&result_.positions, &result_.velocity, &result_.rates}) {
      roots.insert(roots.end(), part->begin(), part->end());
    }
    while (!roots.empty()) {
      Ids next;
      for (const Id id : reachable(g_, roots)) {
        if (!moves(id) || result_.nodes.contains(id)) continue;
        const Recurrence recurrence = result_.nodes[id] = recurrence_of(id);
        if (recurrence != Recurrence::function) continue;
        for (const SlopeOf& each : result_.slopes[id] = slopes_at(id)) next.push_back(each.slope);
      }
      roots = std::move(next);
    }
  }

  /// True if the node depends on the state or on time.
  bool moves(Id id) {
    for (auto next = static_cast<Id>(moves_.size()); next <= id; ++next) {  // arguments have lower ids
      const Node& node = g_[next];
      bool found = is_symbol(node.op) && node.op != Op::parameter;
      for (int i = 0; i < argument_count(node.op); ++i) {
        found = found || moves_[static_cast<std::size_t>(node.arguments[static_cast<std::size_t>(i)])];
      }
      moves_.push_back(found);
    }
    return moves_[static_cast<std::size_t>(id)];
  }

  Recurrence recurrence_of(Id id) {
    const Node& node = g_[id];
    const auto [a, b, none] = node.arguments;
    switch (node.op) {
      case Op::add:
      case Op::subtract:
      case Op::negate:
        return Recurrence::linear;
      case Op::multiply:
        return moves(a) && moves(b) ? Recurrence::product : Recurrence::linear;
      case Op::divide:
        return moves(b) ? Recurrence::quotient : Recurrence::linear;
      case Op::raise:
        return node.index == 2 ? Recurrence::square : Recurrence::function;
      default:
        return is_symbol(node.op) ? Recurrence::leaf : Recurrence::function;
    }
  }

  std::vector<SlopeOf> slopes_at(Id id) {
    const Node node = g_[id];
    std::vector<SlopeOf> slopes;
    for (int i = 0; i < argument_count(node.op); ++i) {
      const Id argument = node.arguments[static_cast<std::size_t>(i)];
      if (!moves(argument)) continue;
      const Id slope = slope_by(id, node, i);
      if (!g_.is_number(slope, 0)) slopes.push_back({argument, slope});
    }
    return slopes;
  }

  /// The derivative of a node by an argument. It may contain the node itself: the order k of a function needs the lower
  /// orders of its slope alone.
  Id slope_by(Id id, const Node& node, int place) {
    const auto [x, y, none] = node.arguments;
    switch (node.op) {
      case Op::raise:
        if (node.index > 0) return g_.multiply(g_.number(node.index), g_.raise(x, node.index - 1));
        return g_.divide(g_.multiply(g_.number(node.index), id), x);
      case Op::power:
        return place == 0 ? g_.divide(g_.multiply(y, id), x) : g_.multiply(id, g_.unary(Op::log, x));
      case Op::table:
        refuse_series("tables, which are smooth to a low order only");
      default:
        break;
    }
    const Function* const function = function_of(node.op);
    if (function == nullptr) refuse_series("choices between expressions (where, clamp)");
    if (function->kinked) refuse_series("the function " + std::string(function->name) + ", whose slope jumps");
    const auto one_at = [&](int at) { return at < argument_count(node.op) ? g_.number(at == place ? 1 : 0) : Id(-1); };
    return function->derivative(g_, {id, x, y, one_at(0), one_at(1)});
  }

  Graph& g_;
  const Terms& s_;
  Series result_;
  std::vector<bool> moves_;  // by node
};

}  // namespace

std::vector<Id> Series::roots() const {
  Ids roots;
  for (const auto& [id, recurrence] : nodes) roots.push_back(id);
  return roots;
}

Series series_of(Graph& graph, const Terms& terms) { return SeriesPass(graph, terms).series(); }

}  // namespace kalaba::formula
