#include "formula/mechanics/jumps.hpp"

#include <algorithm>
#include <cmath>

#include "formula/graph/print.hpp"
#include "formula/graph/term_sizes.hpp"
#include "formula/graph/traverse.hpp"
#include "formula/mechanics/defaults.hpp"
#include "formula/mechanics/sample_states.hpp"

namespace kalaba::formula {
namespace {

constexpr int lines = 400;
constexpr int halvings = 60;
constexpr double neighbourhood = 1e-3;  ///< of the line
constexpr double least_jump = 1e-5;     ///< of the terms; far above rounding, and above a root of the rounding

/// A node of the formulas that changes where `margin` is zero.
struct Crossing {
  Id node;
  Id margin;
};

class JumpSearch {
 public:
  JumpSearch(const Graph& graph, const Terms& terms, const SystemInfo& info)
      : g_(graph), info_(info), terms_of_(terms.stage()), states_(typical_values(graph, terms.start_q, info), info) {
    for (const Id id : reachable(g_, terms_of_)) add_crossings(id);
    ideal_.resize(info.rates.size() + info.constraints.size() + 1);
  }

  std::string text() {
    if (crossings_.empty()) return "";
    std::vector<Id> margins;
    for (const Crossing& each : crossings_) margins.push_back(each.margin);
    const Program values(g_, margins);
    const TermSizes sizes(g_, terms_of_, static_cast<long>(info_.coordinates.size()),
                          static_cast<long>(info_.rates.size()));
    for (int line = 0; line < lines; ++line) {
      draw_line();
      const std::vector<double> first = values(at(0));
      const std::vector<double> last = values(at(1));
      for (std::size_t i = 0; i < crossings_.size(); ++i) {
        if (!(first[i] * last[i] < 0)) continue;
        double low = 0;
        double high = 1;
        for (int k = 0; k < halvings; ++k) {
          const double middle = (low + high) / 2;
          (values(at(middle))[i] * first[i] > 0 ? low : high) = middle;
        }
        const auto before = sizes(at(low));
        const auto behind = sizes(at(high));
        // A term may be zero at the crossing: its size is that in the neighbourhood.
        const auto below = sizes(at(low - neighbourhood));
        const auto above = sizes(at(high + neighbourhood));
        for (std::size_t r = 0; r < before.size(); ++r) {
          const double change = std::abs(behind[r].value - before[r].value);
          const double size = before[r].rounding + behind[r].rounding + below[r].rounding + above[r].rounding;
          if (change > least_jump * size) return described(crossings_[i].node);
        }
      }
    }
    return "";
  }

 private:
  void add_crossings(Id id) {
    const Node node = g_[id];
    const auto [a, b, none] = node.arguments;
    if (node.op == Op::less || node.op == Op::less_equal) {
      crossings_.push_back({id, g_.subtract(a, b)});
    } else if (node.op == Op::sign) {
      crossings_.push_back({id, a});
    } else if (node.op == Op::table) {  // a slope of a linear table jumps at its places
      const TableUse use = TableUse::of(node.index);
      const Table& table = *g_.tables()[static_cast<std::size_t>(use.table)];
      if (use.order < table.degree()) return;
      for (int row = 1; row + 1 < std::min(table.count(), 10); ++row) {
        const double place = table.rows()[static_cast<std::size_t>(row * table.width())];
        crossings_.push_back({id, g_.subtract(a, g_.number(place))});
      }
    }
  }

  /// Draws two states of the same parameters. Coordinates have the sizes of the start or others, and any sign; rates
  /// and times, any size.
  void draw_line() {
    const double size = drawn_++ % 4 == 3 ? any_size() : 1;
    const double speed = any_size();
    const double time = any_size();
    std::vector<double> p;
    for (const int end : {0, 1}) {
      states_.draw();
      if (end == 0) p = states_.p;
      q_[end] = states_.q;
      w_[end] = states_.w;
      t_[end] = states_.t * time;
      for (double& each : q_[end]) each *= size * (states_.number() < 0 ? -1 : 1);
      for (double& each : w_[end]) each *= speed;
    }
    states_.p = p;
    for (double& each : ideal_) each = states_.number();
  }
  double any_size() { return std::pow(10.0, 7 * states_.number()); }
  /// The state at a fraction of the line.
  Inputs at(double part) {
    const auto between = [part](double a, double b) { return a + part * (b - a); };
    std::ranges::transform(q_[0], q_[1], states_.q.begin(), between);
    std::ranges::transform(w_[0], w_[1], states_.w.begin(), between);
    states_.t = between(t_[0], t_[1]);
    Inputs inputs = states_.inputs();
    inputs.ideal = ideal_.data();
    return inputs;
  }

  std::string described(Id node) const { return Printer(g_, info_, Notation::text, std::span(&node, 1))(node); }

  Graph g_;  ///< a copy: margins are no part of the model
  const SystemInfo& info_;
  std::vector<Id> terms_of_;
  std::vector<Crossing> crossings_;
  SampleStates states_;
  std::vector<double> ideal_;
  std::vector<double> q_[2];
  std::vector<double> w_[2];
  double t_[2] = {};
  int drawn_ = 0;
};

}  // namespace

std::string find_jump(const Graph& graph, const Terms& terms, const SystemInfo& info) {
  return JumpSearch(graph, terms, info).text();
}

}  // namespace kalaba::formula
