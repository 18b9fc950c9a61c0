#include "formula/mechanics/check_statement.hpp"

#include <map>

#include "formula/graph/traverse.hpp"

namespace kalaba::formula {
namespace {

const char* name_of(Op kind) {
  switch (kind) {
    case Op::coordinate:
      return "coordinates";
    case Op::rate:
      return "rates";
    case Op::time:
      return "the time";
    default:
      return "the ideal constraint force";
  }
}

class Check {
 public:
  Check(const Graph& graph, const Statement& statement) : g_(graph), s_(statement) {}

  void all() const {
    lengths();
    if (s_.lagrangian) energy("lagrangian", "a Lagrangian is of second degree in the rates", *s_.lagrangian);
    if (s_.hamiltonian) energy("hamiltonian", "a Hamiltonian is of second degree in the momenta", *s_.hamiltonian);
    if (s_.lagrangian && s_.quasi_velocities) linear_velocity();
    free_of("lagrangian", s_.lagrangian, {Op::ideal});
    free_of("hamiltonian", s_.hamiltonian, {Op::ideal});
    free_of("metric", s_.metric, {Op::rate, Op::ideal});
    free_of("force", s_.force, {Op::ideal});
    free_of("velocity", s_.velocity, {Op::ideal});
    free_of("holonomic", s_.holonomic, {Op::rate, Op::ideal});
    free_of("nonholonomic", s_.nonholonomic, {Op::ideal});
    free_of("invariants", s_.invariants, {Op::ideal});
    for (const auto& column : s_.actuation) free_of("actuation", column, {Op::rate, Op::ideal});
    free_of("start_q", s_.start_q, {Op::time, Op::ideal});
    free_of("start_w", s_.start_w, {Op::time, Op::ideal});
    free_of("gain", s_.gain, {Op::coordinate, Op::rate, Op::time, Op::ideal});
    free_of("position_gain", s_.position_gain, {Op::coordinate, Op::rate, Op::time, Op::ideal});
    free_of("energy", s_.energy, {Op::ideal});
    free_of("valid", s_.valid, {Op::ideal});
  }

 private:
  using Kinds = std::vector<Op>;

  void lengths() const {
    const auto n = static_cast<std::size_t>(s_.nw());
    const auto nq = static_cast<std::size_t>(s_.nq());
    const bool has_energy = s_.lagrangian || s_.hamiltonian;
    if (s_.lagrangian && s_.hamiltonian) fail("hamiltonian", "expected a Lagrangian or a Hamiltonian, found both");
    if (s_.hamiltonian && !s_.metric.empty()) fail("metric", "the metric follows from the energy; found both");
    if (!has_energy || !s_.metric.empty()) length("metric", s_.metric.size(), s_.diagonal ? n : n * (n + 1) / 2);
    if (s_.hamiltonian && !s_.velocity.empty()) fail("velocity", "q' follows from the Hamiltonian; found both");
    if (s_.lagrangian && s_.quasi_velocities != !s_.velocity.empty()) {
      fail("velocity", "a Lagrangian with quasi-velocities needs q' in terms of them");
    }
    const bool needs_velocity = nq != n || (!s_.hamiltonian && s_.info.formulation == Formulation::hamilton);
    if (!s_.velocity.empty() || needs_velocity) length("velocity", s_.velocity.size(), nq);
    if (!s_.force.empty()) length("force", s_.force.size(), n);
    if (!s_.non_ideal.empty()) length("non_ideal", s_.non_ideal.size(), n);
    if (!s_.non_ideal.empty() && !s_.actuation.empty())
      fail("actuation", "a servo-constraint takes no non-ideal force");
    for (const auto& column : s_.actuation) length("actuation", column.size(), n);
  }

  [[noreturn]] static void fail(const std::string& part, const std::string& message) {
    throw StatementError(part, -1, message);
  }
  static void length(const std::string& part, std::size_t found, std::size_t expected) {
    if (found == expected) return;
    fail(part, "expected " + std::to_string(expected) + " expressions, found " + std::to_string(found));
  }

  void linear_velocity() const {
    for (std::size_t i = 0; i < s_.velocity.size(); ++i) {
      if (degree(g_, s_.velocity[i], Op::rate) <= 1) continue;
      throw StatementError("velocity", static_cast<int>(i),
                           "q' is of first degree in the quasi-velocities where a Lagrangian is given");
    }
  }

  void free_of(const char* part, const std::vector<Id>& list, const Kinds& kinds) const {
    for (std::size_t i = 0; i < list.size(); ++i) free_of(part, static_cast<int>(i), list[i], kinds);
  }
  void free_of(const char* part, const std::vector<Equation>& list, const Kinds& kinds) const {
    for (std::size_t i = 0; i < list.size(); ++i) free_of(part, static_cast<int>(i), list[i].value, kinds);
  }
  void free_of(const char* part, const std::optional<Id>& id, const Kinds& kinds) const {
    if (id) free_of(part, -1, *id, kinds);
  }
  void free_of(const char* part, int entry, Id id, const Kinds& kinds) const {
    for (const Op kind : kinds) {
      if (!depends_on(g_, id, kind)) continue;
      StatementError error(part, entry, std::string("depends on ") + name_of(kind) + ", which it may not");
      error.at = id;
      throw error;
    }
  }

  void energy(const char* part, const char* law, Id id) const {
    const int found = degree(g_, id, Op::rate);
    if (found == 2 || (found < 2 && !s_.metric.empty())) return;
    const Id at = found > 2 ? culprit(id) : id;
    const int degree_there = degree(g_, at, Op::rate);
    const std::string words =
        degree_there == not_polynomial ? "what is no polynomial of them" : "degree " + std::to_string(degree_there);
    StatementError error(part, -1, std::string(law) + ", found " + words);
    error.at = at;
    error.degree = degree_there;
    int most = 0;
    for (const Id symbol : symbols_in(g_, std::span(&at, 1), Op::rate)) {
      const int own = degree_in(g_, at, symbol);
      if (own <= most) continue;
      most = own;
      error.rate = g_[symbol].index;
    }
    throw error;
  }

  /// The first addend of too high a degree.
  Id culprit(Id id) const {
    const std::map<Id, int> degrees = all_degrees(g_, id, Op::rate);
    for (;;) {
      const Node& node = g_[id];
      const bool adds = node.op == Op::add || node.op == Op::subtract || node.op == Op::negate;
      if (!adds && node.op != Op::multiply && node.op != Op::divide) return id;
      const Id whole = id;
      for (int i = 0; i < argument_count(node.op) && id == whole; ++i) {
        const Id argument = node.arguments[static_cast<std::size_t>(i)];
        if (degrees.at(argument) > 2) id = argument;
      }
      if (id == whole) return id;
    }
  }

  const Graph& g_;
  const Statement& s_;
};

}  // namespace

void check_statement(const Graph& graph, const Statement& statement) { Check(graph, statement).all(); }

}  // namespace kalaba::formula
