#include "formula/mechanics/derive.hpp"

#include <algorithm>

#include "formula/graph/differentiate.hpp"
#include "formula/graph/traverse.hpp"
#include "formula/graph/zero_terms.hpp"
#include "formula/mechanics/check_statement.hpp"
#include "formula/mechanics/defaults.hpp"

namespace kalaba::formula {

namespace {

std::vector<Id> symbols(Graph& graph, Op kind, int first, int count) {
  std::vector<Id> result;
  for (int i = 0; i < count; ++i) result.push_back(graph.symbol(kind, first + i));
  return result;
}

std::vector<Id> values(const std::vector<Equation>& equations) {
  std::vector<Id> result;
  for (const Equation& each : equations) result.push_back(each.value);
  return result;
}

/// From the statement to the terms; reads q and w as the graph's symbols.
class Derivation {
 public:
  Derivation(Graph& graph, const Statement& statement)
      : g_(graph),
        s_(statement),
        nq_(statement.nq()),
        nw_(statement.nw()),
        zero_(graph.number(0)),
        q_(symbols(graph, Op::coordinate, 0, nq_)),
        w_(symbols(graph, Op::rate, 0, nw_)),
        t_(graph.symbol(Op::time, 0)) {}

  Terms terms() {
    r_.formulation = formulation();
    r_.singular_metric = s_.singular_metric;
    for (const Contact& each : s_.info.contacts) {
      ContactRows rows{.row = each.row, .mode = each.mode};
      if (each.friction) {
        rows.stick_row = each.friction->row;
        rows.stick_rows = each.friction->rows();
        rows.sticks = each.friction->sticks;
        rows.slides = each.friction->slides;
      }
      r_.contacts.push_back(rows);
    }
    velocity();
    if (s_.hamiltonian) {
      from_hamiltonian();
    } else if (s_.lagrangian) {
      from_lagrangian();
      if (!s_.metric.empty()) add_stated();
    } else {
      r_.metric = s_.metric;
      r_.diagonal = s_.diagonal;
      r_.force = std::vector<Id>(static_cast<std::size_t>(nw_), zero_);
    }
    shape_metric();
    find_roots();
    for (std::size_t i = 0; i < s_.force.size(); ++i) r_.force[i] = g_.add(r_.force[i], s_.force[i]);
    starts();
    constraints();
    copy_the_rest();
    return std::move(r_);
  }

 private:
  Formulation formulation() const {
    if (s_.hamiltonian) return Formulation::hamilton;
    if (s_.lagrangian || s_.info.formulation != Formulation::hamilton) {
      return s_.velocity.empty() ? Formulation::lagrange : Formulation::kane;
    }
    return Formulation::hamilton;
  }

  /// K and dK/dw.
  void velocity() {
    if (s_.hamiltonian) {
      r_.velocity = gradient(*s_.hamiltonian, w_);
    } else {
      r_.velocity_is_w = s_.velocity.empty();
      r_.velocity = r_.velocity_is_w ? w_ : s_.velocity;
    }
    r_.velocity_jacobian = jacobian(r_.velocity, w_);
  }

  /// d rows / d columns, forward, a column at a time: zeros cost nothing.
  Matrix jacobian(const std::vector<Id>& rows, const std::vector<Id>& columns) {
    Matrix result{static_cast<int>(rows.size()), static_cast<int>(columns.size()), {}};
    result.entries.assign(rows.size() * columns.size(), zero_);
    std::vector<std::vector<Id>> needs;
    for (const Id row : rows) needs.push_back(symbols_in(g_, std::span(&row, 1), Op::rate));
    for (int j = 0; j < result.cols; ++j) {
      const Id column = columns[static_cast<std::size_t>(j)];
      Tangent along(g_, {{column, g_.number(1)}});
      for (int i = 0; i < result.rows; ++i) {
        const auto row = static_cast<std::size_t>(i);
        if (std::ranges::find(needs[row], column) != needs[row].end()) result(i, j) = along(rows[row]);
      }
    }
    return result;
  }

  /// d/dt along q' = v, w' = 0.
  Tangent along_motion(const std::vector<Id>& v) {
    std::unordered_map<Id, Id> direction = {{t_, g_.number(1)}};
    for (std::size_t i = 0; i < q_.size(); ++i) direction[q_[i]] = v[i];
    return Tangent(g_, std::move(direction));
  }

  /// df/ds of these symbols, addend by addend: most have few of them.
  std::vector<Id> gradient(Id f, const std::vector<Id>& of) {
    std::vector<Id> result(of.size(), zero_);
    for (const Id addend : addends(g_, f)) {
      for (const std::size_t i : places_in(addend, of)) result[i] = g_.add(result[i], derivative(g_, addend, of[i]));
    }
    return result;
  }

  /// Which of these symbols an expression needs.
  std::vector<std::size_t> places_in(Id f, const std::vector<Id>& symbols) const {
    std::vector<std::size_t> result;
    if (symbols.empty()) return result;
    for (const Id symbol : symbols_in(g_, std::span(&f, 1), g_[symbols[0]].op)) {
      const auto place = static_cast<std::size_t>(g_[symbol].index - g_[symbols[0]].index);
      if (place < symbols.size()) result.push_back(place);
    }
    return result;
  }

  /// The lower triangle of d gradient / d by.
  std::vector<Id> curvature(const std::vector<Id>& gradient, const std::vector<Id>& by) {
    const Matrix all = jacobian(gradient, by);
    std::vector<Id> triangle;
    for (int i = 0; i < all.rows; ++i) {
      for (int j = 0; j <= i; ++j) triangle.push_back(all(i, j));
    }
    return triangle;
  }

  /// G = H_pp, force -H_q.
  void from_hamiltonian() {
    r_.metric = curvature(r_.velocity, w_);
    for (const Id slope : gradient(*s_.hamiltonian, q_)) r_.force.push_back(g_.negate(slope));
    r_.energy = *s_.hamiltonian;
  }

  /// M = L_vv, Q = L_q - L_vq v - L_vt; of quasi-velocities J^T M J and J^T (Q - M K'), with J = dK/dw and v = K.
  void from_lagrangian() {
    const Id L = *s_.lagrangian;
    const std::vector<Id> v = s_.quasi_velocities ? symbols(g_, Op::rate, nw_, nq_) : w_;
    const std::vector<Id> momenta = gradient(L, v);
    const std::vector<Id> mass = curvature(momenta, v);
    const std::vector<Id> force = lagrange_force(L, v);
    Id energy = zero_;
    for (std::size_t i = 0; i < v.size(); ++i) energy = g_.add(energy, g_.multiply(v[i], momenta[i]));
    energy = g_.subtract(energy, L);
    if (!s_.quasi_velocities) {
      r_.metric = mass;
      r_.force = force;
      r_.energy = energy;
      return;
    }
    std::map<Id, Id> moving;
    for (std::size_t i = 0; i < v.size(); ++i) moving[v[i]] = r_.velocity[i];
    r_.energy = substitute(g_, energy, moving);
    to_quasi_velocities(mass, substitute(g_, force, moving));
  }

  /// L_q - L_vq v - L_vt, addend by addend: what cancels in one does so before it is lost in the sum.
  std::vector<Id> lagrange_force(Id L, const std::vector<Id>& v) {
    Tangent dot = along_motion(v);
    std::vector<Id> force(v.size(), zero_);
    for (const Id addend : addends(g_, L)) {
      std::map<std::size_t, Id> own;
      for (const std::size_t i : places_in(addend, q_)) own[i] = derivative(g_, addend, q_[i]);
      for (const std::size_t i : places_in(addend, v)) {
        const Id momentum_rate = dot(derivative(g_, addend, v[i]));
        own[i] = g_.subtract(own.try_emplace(i, zero_).first->second, momentum_rate);
      }
      for (const auto& [i, term] : own) force[i] = g_.add(force[i], term);
    }
    return force;
  }

  void to_quasi_velocities(const std::vector<Id>& mass, std::vector<Id> force) {
    const auto entry = [&](int i, int j) {
      const auto [low, high] = std::minmax(i, j);
      return mass[static_cast<std::size_t>(high * (high + 1) / 2 + low)];
    };
    Tangent dot = along_motion(r_.velocity);
    for (int i = 0; i < nq_; ++i) {
      Id turned = zero_;
      for (int j = 0; j < nq_; ++j) {
        turned = g_.add(turned, g_.multiply(entry(i, j), dot(r_.velocity[static_cast<std::size_t>(j)])));
      }
      Id& own = force[static_cast<std::size_t>(i)];
      own = g_.subtract(own, turned);
    }
    const Matrix& J = r_.velocity_jacobian;
    const auto product = [&](int column, const std::vector<Id>& x) {
      Id sum = zero_;
      for (int i = 0; i < nq_; ++i) sum = g_.add(sum, g_.multiply(J(i, column), x[static_cast<std::size_t>(i)]));
      return sum;
    };
    for (int a = 0; a < nw_; ++a) {
      r_.force.push_back(product(a, force));
      std::vector<Id> row;  // of M J e_a
      for (int i = 0; i < nq_; ++i) {
        Id sum = zero_;
        for (int j = 0; j < nq_; ++j) sum = g_.add(sum, g_.multiply(entry(i, j), J(j, a)));
        row.push_back(sum);
      }
      for (int c = 0; c <= a; ++c) r_.metric.push_back(product(c, row));
    }
  }

  /// Adds the stated metric to that of the Lagrangian.
  void add_stated() {
    for (int i = 0; i < nw_; ++i) {
      for (int j = 0; j <= i; ++j) {
        Id& entry = r_.metric[static_cast<std::size_t>(i * (i + 1) / 2 + j)];
        const auto at = static_cast<std::size_t>(s_.diagonal ? i : i * (i + 1) / 2 + j);
        if (!s_.diagonal || i == j) entry = g_.add(entry, s_.metric[at]);
      }
    }
  }

  /// Stores a metric without entries beside the diagonal as a diagonal. A metric that may be singular stays a triangle,
  /// to which A^T A is added.
  void shape_metric() {
    std::vector<Id> diagonal;
    std::vector<Id> triangle;
    bool coupled = false;
    for (int i = 0; i < nw_; ++i) {
      for (int j = 0; j < i; ++j) {
        triangle.push_back(r_.diagonal ? zero_ : r_.metric_entry(i, j));
        coupled = coupled || triangle.back() != zero_;
      }
      diagonal.push_back(r_.metric_entry(i, i));
      triangle.push_back(diagonal.back());
    }
    r_.diagonal = !r_.singular_metric && !coupled;
    r_.metric = r_.diagonal ? diagonal : triangle;
  }

  void find_roots() {
    if (!r_.diagonal || r_.singular_metric) return;
    const auto varies = [&](Id id) {
      return depends_on(g_, id, Op::coordinate) || depends_on(g_, id, Op::rate) || depends_on(g_, id, Op::time);
    };
    if (std::ranges::any_of(r_.metric, varies)) return;
    for (const Id each : r_.metric) r_.inverse_root.push_back(g_.divide(g_.number(1), g_.unary(Op::sqrt, each)));
  }

  void constraints() {
    r_.phi = values(s_.holonomic);
    r_.psi = values(s_.nonholonomic);
    Tangent dot = along_motion(r_.velocity);
    for (const Id phi : r_.phi) r_.phi_dot.push_back(dot(phi));
    std::vector<Id> rows = r_.phi_dot;
    rows.insert(rows.end(), r_.psi.begin(), r_.psi.end());
    r_.A = jacobian(rows, w_);
    for (const Id row : rows) r_.b.push_back(g_.negate(dot(row)));
    if (!rows.empty()) remove_zeros();
  }

  /// Removes identically zero entries of A, phi' and b, and stores the gradients of constraints that then have no row
  /// of A.
  void remove_zeros() {
    const TypicalValues typical = typical_values(g_, r_.start_q, s_.info);
    std::vector<Id> roots = r_.A.entries;
    roots.insert(roots.end(), r_.phi_dot.begin(), r_.phi_dot.end());
    roots.insert(roots.end(), r_.b.begin(), r_.b.end());
    const std::vector<Id> left = without_zeros(g_, roots, typical);
    auto from = left.begin();
    for (std::vector<Id>* part : {&r_.A.entries, &r_.phi_dot, &r_.b}) {
      for (Id& each : *part) each = *from++;
    }
    if (r_.velocity_is_w) return;
    Matrix gradients{static_cast<int>(r_.phi.size()), nq_, {}};
    gradients.entries.assign(r_.phi.size() * static_cast<std::size_t>(nq_), zero_);
    for (int r = 0; r < gradients.rows; ++r) {
      bool reached = false;
      for (int j = 0; j < nw_; ++j) reached = reached || r_.A(r, j) != zero_;
      if (reached) continue;
      const Id phi = r_.phi[static_cast<std::size_t>(r)];
      for (const std::size_t i : places_in(phi, q_)) gradients(r, static_cast<int>(i)) = derivative(g_, phi, q_[i]);
    }
    gradients.entries = without_zeros(g_, gradients.entries, typical);
    if (std::ranges::any_of(gradients.entries, [&](Id each) { return each != zero_; })) {
      r_.unreached = std::move(gradients);
    }
  }

  void copy_the_rest() {
    r_.invariants = values(s_.invariants);
    r_.reactions = values(s_.reactions);
    r_.non_ideal = s_.non_ideal;
    r_.actuation = {nw_, static_cast<int>(s_.actuation.size()), {}};
    for (std::size_t i = 0; i < w_.size(); ++i) {
      for (const auto& column : s_.actuation) r_.actuation.entries.push_back(column[i]);
    }
    r_.gain = s_.gain;
    r_.position_gain = s_.position_gain;
    const bool adds = s_.lagrangian && s_.energy && !s_.metric.empty();
    if (s_.energy) r_.energy = adds ? g_.add(*s_.energy, *r_.energy) : *s_.energy;
    r_.valid = s_.valid;
  }

  void starts() {
    std::vector<Id> stated = s_.start_q;
    stated.resize(q_.size(), zero_);
    stated.insert(stated.end(), s_.start_w.begin(), s_.start_w.end());
    stated.resize(q_.size() + w_.size(), zero_);
    for (const Id each : stated) r_.start_needs.push_back(places_in(each));
    std::vector<Id> whole(stated.size(), -1);
    std::vector<int> active;
    for (std::size_t i = 0; i < stated.size(); ++i) start(static_cast<int>(i), stated, active, whole);
    r_.start_q.assign(whole.begin(), whole.begin() + nq_);
    r_.start_w.assign(whole.begin() + nq_, whole.end());
  }
  /// The coordinates and rates that it is of, by place: coordinates, then rates.
  std::vector<int> places_in(Id id) const {
    std::vector<int> places;
    for (const Id each : symbols_in(g_, std::span(&id, 1), Op::coordinate)) places.push_back(g_[each].index);
    for (const Id each : symbols_in(g_, std::span(&id, 1), Op::rate)) places.push_back(nq_ + g_[each].index);
    return places;
  }
  /// Finds whole[place]; `active` holds the starts that wait for it.
  void start(int place, const std::vector<Id>& stated, std::vector<int>& active, std::vector<Id>& whole) {
    const auto at = static_cast<std::size_t>(place);
    const bool is_rate = place >= nq_;
    if (whole[at] >= 0) return;
    if (std::ranges::count(active, place) > 0) {
      throw StatementError(is_rate ? "start_w" : "start_q", is_rate ? place - nq_ : place, "is defined by itself");
    }
    active.push_back(place);
    std::map<Id, Id> exchanged;
    for (const int needed : r_.start_needs[at]) {
      start(needed, stated, active, whole);
      exchanged[symbol_at(needed)] = whole[static_cast<std::size_t>(needed)];
    }
    active.pop_back();
    const Id given = g_.binary(Op::less, g_.number(0.5), g_.symbol(Op::observed, place));
    whole[at] = g_.select(given, symbol_at(place), substitute(g_, stated[at], exchanged));
  }
  Id symbol_at(int place) const {
    return place < nq_ ? q_[static_cast<std::size_t>(place)] : w_[static_cast<std::size_t>(place - nq_)];
  }

  Graph& g_;
  const Statement& s_;
  int nq_;
  int nw_;
  Id zero_;
  std::vector<Id> q_;
  std::vector<Id> w_;
  Id t_;
  Terms r_;
};

}  // namespace

Terms derive(Graph& graph, const Statement& statement) {
  check_statement(graph, statement);
  return Derivation(graph, statement).terms();
}

}  // namespace kalaba::formula
