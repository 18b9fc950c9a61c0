#pragma once

#include <algorithm>
#include <string>

#include "formula/statement.hpp"
#include "kalaba/core/energy.hpp"
#include "kalaba/core/model.hpp"
#include "kalaba/describe_system.hpp"
#include "kalaba/error.hpp"

namespace kalaba::formula {

/// A Real that records what is done with it. It has no value: nothing converts it to a number, nor a comparison to a
/// bool, so that a model that branches on values does not compile.
struct Recorded {
  Id id = -1;

  Recorded() = default;
  Recorded(double value) : id(graph().number(value)) {}
  static Recorded of(Id id) {
    Recorded result;
    result.id = id;
    return result;
  }

  /// Where this thread records. Set by Recording.
  static Graph& graph() { return *current(); }
  static Graph*& current() {
    thread_local Graph* recording = nullptr;
    return recording;
  }

  /// Its node. Throws Error (bad_input) where it was never given a value.
  Id known() const {
    if (id < 0) throw Error(ExitCode::bad_input, "a number is used that was never set");
    return id;
  }

  struct Mask {
    Id id;
    friend Mask operator!(const Mask& a) { return {graph().unary(Op::negation, a.id)}; }
    friend Mask both(const Mask& a, const Mask& b) { return {graph().binary(Op::both, a.id, b.id)}; }
    friend Mask either(const Mask& a, const Mask& b) { return {graph().binary(Op::either, a.id, b.id)}; }
  };

  friend Recorded operator+(const Recorded& a, const Recorded& b) { return of(graph().add(a.known(), b.known())); }
  friend Recorded operator-(const Recorded& a, const Recorded& b) { return of(graph().subtract(a.known(), b.known())); }
  friend Recorded operator*(const Recorded& a, const Recorded& b) { return of(graph().multiply(a.known(), b.known())); }
  friend Recorded operator/(const Recorded& a, const Recorded& b) { return of(graph().divide(a.known(), b.known())); }
  friend Recorded operator-(const Recorded& a) { return of(graph().negate(a.known())); }
  friend Mask operator<(const Recorded& a, const Recorded& b) {
    return {graph().binary(Op::less, a.known(), b.known())};
  }
  friend Mask operator<=(const Recorded& a, const Recorded& b) {
    return {graph().binary(Op::less_equal, a.known(), b.known())};
  }
  friend Mask operator>(const Recorded& a, const Recorded& b) { return b < a; }
  friend Mask operator>=(const Recorded& a, const Recorded& b) { return b <= a; }
  friend Recorded select(const Mask& mask, const Recorded& a, const Recorded& b) {
    return of(graph().select(mask.id, a.known(), b.known()));
  }

  friend Recorded fma(const Recorded& a, const Recorded& b, const Recorded& c) { return a * b + c; }
  friend Recorded rsqrt(const Recorded& a) { return Recorded(1.0) / sqrt(a); }
  friend Recorded abs(const Recorded& a) { return of(graph().unary(Op::abs, a.known())); }
  friend Recorded sqrt(const Recorded& a) { return of(graph().unary(Op::sqrt, a.known())); }
  friend Recorded sin(const Recorded& a) { return of(graph().unary(Op::sin, a.known())); }
  friend Recorded cos(const Recorded& a) { return of(graph().unary(Op::cos, a.known())); }
  friend Recorded tan(const Recorded& a) { return of(graph().unary(Op::tan, a.known())); }
  friend Recorded asin(const Recorded& a) { return of(graph().unary(Op::asin, a.known())); }
  friend Recorded acos(const Recorded& a) { return of(graph().unary(Op::acos, a.known())); }
  friend Recorded atan(const Recorded& a) { return of(graph().unary(Op::atan, a.known())); }
  friend Recorded exp(const Recorded& a) { return of(graph().unary(Op::exp, a.known())); }
  friend Recorded log(const Recorded& a) { return of(graph().unary(Op::log, a.known())); }
  friend Recorded pow(const Recorded& a, const Recorded& b) {
    return of(graph().binary(Op::power, a.known(), b.known()));
  }
  friend Recorded atan2(const Recorded& y, const Recorded& x) {
    return of(graph().binary(Op::atan2, y.known(), x.known()));
  }
};

}  // namespace kalaba::formula

namespace kalaba {

/// A list of recorded numbers watches its ends: a struct that asks for p[3] of three parameters would else compute with
/// what lies behind them. Throws Error (bad_input).
template <int N>
struct Vec<formula::Recorded, N> {
  formula::Recorded data[N > 0 ? N : 1];

  static constexpr int size = N;
  formula::Recorded& operator[](int i) { return data[checked(i)]; }
  const formula::Recorded& operator[](int i) const { return data[checked(i)]; }

 private:
  static int checked(int i) {
    if (i >= 0 && i < N) return i;
    throw Error(ExitCode::bad_input, "there is no [" + std::to_string(i) + "] in a list of " + std::to_string(N));
  }
};

}  // namespace kalaba

namespace kalaba::formula {

/// Recorded numbers go to this graph while it lives.
class Recording {
 public:
  explicit Recording(Graph& graph) : before_(Recorded::current()) { Recorded::current() = &graph; }
  ~Recording() { Recorded::current() = before_; }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

 private:
  Graph* before_;
};

/// What a model struct states, recorded into the graph by running its functions once.
template <class Stated>
class Recorder {
 public:
  using M = Stated;
  static constexpr int np = Dim<M>::parameters;
  static constexpr int nq = Dim<M>::q;
  static constexpr int nw = Dim<M>::w;

  explicit Recorder(Graph& graph)
      : recording_(graph), raw_(symbols<np>(Op::parameter)), p_(told("prepare", [&] { return prepared<M>(raw_); })) {}

  Statement statement() {
    Statement s;
    s.info = detail::describe<WithTerms<M>>();
    s.info.equations.clear();
    energy_or_terms(s);
    constraints(s);
    rest(s);
    return s;
  }

 private:
  using X = Recorded;

  /// What a function of the struct gives; a fault in it is told with its name.
  template <class Function>
  static auto told(const char* name, const Function& function) {
    try {
      return function();
    } catch (const Error& error) {
      throw Error(error.code(), std::string(M::name) + ": " + name + ": " + error.what());
    }
  }

  template <int N>
  static Vec<X, N> symbols(Op kind) {
    Vec<X, N> result;
    for (int i = 0; i < N; ++i) result[i] = X::of(X::graph().symbol(kind, i));
    return result;
  }
  template <class List>
  static std::vector<Id> ids(const List& list) {
    std::vector<Id> result;
    for (int i = 0; i < List::size; ++i) result.push_back(list[i].known());
    return result;
  }
  static std::vector<Id> entries(const Diagonal<X, nw>& metric) { return ids(metric.entry); }
  static std::vector<Id> entries(const Symmetric<X, nw>& metric) {
    std::vector<Id> triangle;
    for (int i = 0; i < nw; ++i) {
      for (int j = 0; j <= i; ++j) triangle.push_back(metric.entry(i, j).known());
    }
    return triangle;
  }
  static Id id(const X& x) { return x.known(); }

  void energy_or_terms(Statement& s) {
    constexpr bool lagrangian = requires { M::lagrangian(p_, t_, q_, w_); };
    constexpr bool hamiltonian = requires { M::hamiltonian(p_, t_, q_, w_); };
    if constexpr (lagrangian || hamiltonian) {
      if constexpr (lagrangian) s.lagrangian = id(told("lagrangian", [&] { return M::lagrangian(p_, t_, q_, w_); }));
      if constexpr (hamiltonian) {
        s.hamiltonian = id(told("hamiltonian", [&] { return M::hamiltonian(p_, t_, q_, w_); }));
      }
      if constexpr (requires { M::applied(p_, t_, q_, w_); }) {
        s.force = ids(told("applied", [&] { return M::applied(p_, t_, q_, w_); }));
      }
    } else {
      const auto metric = told("metric", [&] { return M::metric(p_, t_, q_); });
      s.diagonal = requires { metric.entry[0]; };
      s.metric = entries(metric);
      s.force = ids(told("force", [&] { return M::force(p_, t_, q_, w_); }));
      if constexpr (ModelParts<M>::has_velocity) {
        s.velocity = ids(told("velocity", [&] { return M::velocity(p_, t_, q_, w_); }));
      }
    }
    s.singular_metric = has_singular_metric<M>();
  }

  void constraints(Statement& s) {
    std::size_t row = 0;
    const auto equations = [&](const std::vector<Id>& values) {
      std::vector<Equation> result;
      for (const Id value : values) {
        const Variable& named = s.info.constraints[row++];
        result.push_back({named.name, named.unit, named.meaning, value});
      }
      return result;
    };
    if constexpr (Dim<M>::holonomic > 0) s.holonomic = equations(ids(told("phi", [&] { return M::phi(p_, t_, q_); })));
    if constexpr (Dim<M>::nonholonomic > 0) {
      s.nonholonomic = equations(ids(told("psi", [&] { return M::psi(p_, t_, q_, w_); })));
    }
  }

  void rest(Statement& s) {
    if constexpr (Dim<M>::invariants > 0) {
      const auto values = ids(told("invariant", [&] { return M::invariant(p_, t_, q_, w_); }));
      for (std::size_t i = 0; i < values.size(); ++i) {
        const Variable& named = s.info.invariants[i];
        s.invariants.push_back({named.name, named.unit, named.meaning, values[i]});
      }
    }
    if constexpr (ModelParts<M>::has_non_ideal) {
      s.non_ideal = ids(told("non_ideal", [&] {
        if constexpr (ModelParts<M>::has_loaded_non_ideal) {
          Vec<X, Dim<M>::constraints> multipliers;
          for (int r = 0; r < Dim<M>::constraints; ++r) multipliers[r] = X::of(X::graph().symbol(Op::ideal, nw + r));
          return M::non_ideal(p_, t_, q_, w_, symbols<nw>(Op::ideal), multipliers);
        } else {
          return M::non_ideal(p_, t_, q_, w_, symbols<nw>(Op::ideal));
        }
      }));
    }
    if constexpr (ModelParts<M>::actuated) {
      const auto S = told("actuation", [&] { return M::actuation(p_, t_, q_); });
      for (int j = 0; j < S.cols; ++j) {
        s.actuation.emplace_back();
        for (int i = 0; i < nw; ++i) s.actuation.back().push_back(S(i, j).known());
      }
    }
    if constexpr (ModelParts<M>::has_gain) s.gain = id(told("gain", [&] { return M::gain(p_); }));
    if constexpr (ModelParts<M>::has_position_gain) {
      s.position_gain = id(told("position_gain", [&] { return M::position_gain(p_); }));
    }
    if constexpr (ModelParts<M>::has_energy) s.energy = id(told("energy", [&] { return M::energy(p_, t_, q_, w_); }));
    if constexpr (ModelParts<M>::has_valid) s.valid = told("valid", [&] { return M::valid(p_, t_, q_, w_); }).id;
    Vec<X, nq> q;
    Vec<X, nw> w;
    told("start", [&] { M::start(raw_, q, w); });
    s.start_q = ids(q);
    s.start_w = ids(w);
  }

  Recording recording_;
  Vec<X, np> raw_;
  Prepared<M, X> p_;
  X t_ = X::of(X::graph().symbol(Op::time, 0));
  Vec<X, nq> q_ = symbols<nq>(Op::coordinate);
  Vec<X, nw> w_ = symbols<nw>(Op::rate);
};

template <class M>
Statement record(Graph& graph) {
  return Recorder<M>(graph).statement();
}

}  // namespace kalaba::formula
