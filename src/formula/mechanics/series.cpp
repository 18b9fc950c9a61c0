#include "formula/mechanics/series.hpp"

#include <algorithm>
#include <set>

#include "formula/graph/functions.hpp"
#include "formula/graph/term_sums.hpp"
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
    if (s_.actuation.cols > s_.A.rows) refuse_series("servo-constraints with more actuators than rows");
    result_.w_dot = symbols(0, s_.force.size());
    result_.lambda =
        symbols(s_.force.size(), static_cast<std::size_t>(s_.actuation.cols > 0 ? s_.actuation.cols : s_.A.rows));
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
    const Ids reaction = this->reaction();
    const Ids given = this->given(reaction, momenta);
    Ids held = result_.w_dot;
    if (momenta) {
      for (std::size_t i = 0; i < held.size(); ++i) held[i] = g_.subtract(held[i], given[i]);
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
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (!momenta) sums[i] = g_.subtract(sums[i], given[i]);
      sums[i] = g_.subtract(sums[i], reaction[i]);
    }
    return sums;
  }

  /// A^T lambda, or S lambda for a servo-constraint.
  Ids reaction() {
    const bool servo = s_.actuation.cols > 0;
    const auto n = static_cast<int>(s_.force.size());
    Ids sums(s_.force.size(), g_.number(0));
    for (std::size_t r = 0; r < result_.lambda.size(); ++r) {
      for (int j = 0; j < n; ++j) {
        const auto row = static_cast<int>(r);
        Id& sum = sums[static_cast<std::size_t>(j)];
        sum = g_.add(sum, g_.multiply(servo ? s_.actuation(j, row) : s_.A(row, j), result_.lambda[r]));
      }
    }
    return sums;
  }

  /// F + C
  Ids given(const Ids& reaction, bool momenta) {
    Ids forces = s_.force;
    if (s_.non_ideal.empty()) return forces;
    Ids ideal = reaction;
    ideal.insert(ideal.end(), result_.lambda.begin(), result_.lambda.end());
    std::map<Id, Id> exchanged;
    for (const Id id : symbols_in(g_, s_.non_ideal, Op::ideal)) {
      const auto place = static_cast<std::size_t>(g_[id].index);
      if (momenta && place < forces.size()) refuse_series("non-ideal forces of momenta that depend on ideal forces");
      exchanged[id] = ideal[place];
    }
    result_.solves_forces = !exchanged.empty();
    const Ids non_ideal = substitute(g_, s_.non_ideal, exchanged);
    for (std::size_t i = 0; i < forces.size(); ++i) forces[i] = g_.add(forces[i], non_ideal[i]);
    return forces;
  }

  /// Finds the nodes of the formulas, of the slopes of their functions, of the margins of their conditions, and so on.
  void find_nodes() {
    Ids roots = result_.residual;
    for (const Ids* part : {&result_.positions, &result_.velocity, &result_.rates}) {
      roots.insert(roots.end(), part->begin(), part->end());
    }
    while (!roots.empty()) {
      Ids next;
      for (const Id id : reachable(g_, roots)) {
        if (!moves(id)) continue;
        for (const Margin& each : margins_at(id)) add_margin(each, next);
        if (g_.is_mask(id) || result_.nodes.contains(id)) continue;
        const Recurrence recurrence = result_.nodes[id] = recurrence_of(id);
        if (recurrence == Recurrence::choice) result_.choices[id] = choice_at(id);
        if (recurrence != Recurrence::function) continue;
        for (const SlopeOf& each : result_.slopes[id] = slopes_at(id)) next.push_back(each.slope);
      }
      for (const auto& [id, choice] : result_.choices) next.push_back(choice.condition);
      std::erase_if(next, [&](Id id) { return !visited_.insert(id).second; });
      roots = std::move(next);
    }
    Ids nodes;
    for (const Margin& each : result_.margins) nodes.push_back(each.node);
    const Ids terms = term_sums(g_, nodes);
    for (std::size_t i = 0; i < terms.size(); ++i) result_.margins[i].terms = terms[i];
  }

  /// Properties of a node along the motion.
  struct Motion {
    bool moves;   ///< depends on the state or on time
    bool varies;  ///< within a step too
  };
  Motion motion_of(Id id) {
    for (auto next = static_cast<Id>(motions_.size()); next <= id; ++next) {  // arguments have lower ids
      const Node& node = g_[next];
      Motion motion = {is_symbol(node.op) && node.op != Op::parameter, false};
      motion.varies = motion.moves;
      for (int i = 0; i < argument_count(node.op); ++i) {
        const Motion& argument = motions_[static_cast<std::size_t>(node.arguments[static_cast<std::size_t>(i)])];
        motion.moves = motion.moves || argument.moves;
        motion.varies = motion.varies || argument.varies;
      }
      const bool is_last_slope = node.op == Op::table && TableUse::of(node.index).order == table_of(node).degree();
      if (g_.is_mask(next) || node.op == Op::sign || is_last_slope) motion.varies = false;
      motions_.push_back(motion);
    }
    return motions_[static_cast<std::size_t>(id)];
  }
  bool moves(Id id) { return motion_of(id).moves; }
  bool varies(Id id) { return motion_of(id).varies; }
  const Table& table_of(const Node& node) const {
    return *g_.tables()[static_cast<std::size_t>(TableUse::of(node.index).table)];
  }

  /// Margins of a condition, of a function with a kink, or of a piece of a table. They are not negative where a
  /// condition holds at its limit, or fails there.
  std::vector<Margin> margins_at(Id id) {
    const Node node = g_[id];
    const auto [a, b, none] = node.arguments;
    switch (node.op) {
      case Op::less:
        return {{g_.subtract(a, b), -1}};
      case Op::less_equal:
        return {{g_.subtract(b, a), -1}};
      case Op::sign:
        return {{a, -1}, {g_.negate(a), -1}};
      case Op::table: {
        const int table = TableUse::of(node.index).table;
        return {{a, -1, Margin::Of::lower_end, table}, {a, -1, Margin::Of::upper_end, table}};
      }
      default:
        return {};
    }
  }
  void add_margin(const Margin& margin, Ids& next) {
    if (!varies(margin.node)) return;
    const bool is_known = std::ranges::any_of(result_.margins, [&](const Margin& each) {
      return each.node == margin.node && each.of == margin.of && each.table == margin.table;
    });
    if (is_known) return;
    result_.margins.push_back(margin);
    next.push_back(margin.node);
  }

  Recurrence recurrence_of(Id id) {
    const Node node = g_[id];
    const auto [a, b, none] = node.arguments;
    if (!varies(id)) return Recurrence::held;
    switch (node.op) {
      case Op::add:
      case Op::subtract:
      case Op::negate:
        return Recurrence::linear;
      case Op::multiply:
        return varies(a) && varies(b) ? Recurrence::product : Recurrence::linear;
      case Op::divide:
        return varies(b) ? Recurrence::quotient : Recurrence::linear;
      case Op::raise:
        return node.index == 2 ? Recurrence::square : Recurrence::function;
      case Op::min:
      case Op::max:
      case Op::select:
        return Recurrence::choice;
      default:
        return is_symbol(node.op) ? Recurrence::leaf : Recurrence::function;
    }
  }

  Choice choice_at(Id id) {
    const Node node = g_[id];
    const auto [a, b, c] = node.arguments;
    switch (node.op) {
      case Op::min:
        return {g_.binary(Op::less, b, a), b, a};
      case Op::max:
        return {g_.binary(Op::less, a, b), b, a};
      default:
        return {a, b, c};
    }
  }

  std::vector<SlopeOf> slopes_at(Id id) {
    const Node node = g_[id];
    std::vector<SlopeOf> slopes;
    for (int i = 0; i < argument_count(node.op); ++i) {
      const Id argument = node.arguments[static_cast<std::size_t>(i)];
      if (!varies(argument)) continue;
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
      case Op::table: {
        const TableUse use = TableUse::of(node.index);
        return g_.table({use.table, use.order + 1}, x);
      }
      default:
        break;
    }
    const auto one_at = [&](int at) { return at < argument_count(node.op) ? g_.number(at == place ? 1 : 0) : Id(-1); };
    return function_of(node.op)->derivative(g_, {id, x, y, one_at(0), one_at(1)});
  }

  Graph& g_;
  const Terms& s_;
  Series result_;
  std::vector<Motion> motions_;  // by node
  std::set<Id> visited_;         // slopes, conditions and margins
};

}  // namespace

std::vector<Id> Series::roots() const {
  Ids roots;
  for (const auto& [id, recurrence] : nodes) roots.push_back(id);
  for (const auto& [id, choice] : choices) roots.push_back(choice.condition);
  for (const Margin& each : margins) roots.push_back(each.terms);
  return roots;
}

Series series_of(Graph& graph, const Terms& terms) { return SeriesPass(graph, terms).series(); }

}  // namespace kalaba::formula
