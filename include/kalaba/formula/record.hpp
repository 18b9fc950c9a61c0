#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kalaba/core/base/operation.hpp"
#include "kalaba/describe_model.hpp"
#include "kalaba/error.hpp"
#include "kalaba/formula/statement.hpp"

namespace kalaba::formula {

using Op = Operation;

class Graph;

/// Graph that this thread records into while the object lives.
class Recording {
 public:
  Recording();                       ///< into a new graph
  explicit Recording(Graph& graph);  ///< into `graph`, which outlives the object
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  Graph& graph() const { return *graph_; }

 private:
  std::shared_ptr<Graph> owned_;
  Graph* graph_;
  Graph* before_;
};

/// Adds a node to the graph of this thread's Recording and returns its index. Throws Error (bad_input) if the graph is
/// full.
Id recorded_number(double value);
Id recorded_symbol(Op kind, int index);
Id recorded_unary(Op op, Id x);
Id recorded_binary(Op op, Id a, Id b);
Id recorded_select(Id mask, Id a, Id b);

/// Real whose operations are recorded. It has no value and no conversion to a number, nor has a comparison one to bool,
/// so a model that branches on values does not compile.
struct Recorded {
  Id id = -1;

  Recorded() = default;
  Recorded(double value) : id(recorded_number(value)) {}
  static Recorded of(Id id) {
    Recorded result;
    result.id = id;
    return result;
  }

  /// Returns its node. Throws Error (bad_input) if it was never given a value.
  Id known() const {
    if (id < 0) throw Error(ExitCode::bad_input, "a number is used that was never set");
    return id;
  }

  struct Mask {
    Id id;
    friend Mask operator!(const Mask& a) { return {recorded_unary(Op::negation, a.id)}; }
    friend Mask both(const Mask& a, const Mask& b) { return {recorded_binary(Op::both, a.id, b.id)}; }
    friend Mask either(const Mask& a, const Mask& b) { return {recorded_binary(Op::either, a.id, b.id)}; }
  };

  friend Recorded operator+(const Recorded& a, const Recorded& b) {
    return of(recorded_binary(Op::add, a.known(), b.known()));
  }
  friend Recorded operator-(const Recorded& a, const Recorded& b) {
    return of(recorded_binary(Op::subtract, a.known(), b.known()));
  }
  friend Recorded operator*(const Recorded& a, const Recorded& b) {
    return of(recorded_binary(Op::multiply, a.known(), b.known()));
  }
  friend Recorded operator/(const Recorded& a, const Recorded& b) {
    return of(recorded_binary(Op::divide, a.known(), b.known()));
  }
  friend Recorded operator-(const Recorded& a) { return of(recorded_unary(Op::negate, a.known())); }
  friend Mask operator<(const Recorded& a, const Recorded& b) {
    return {recorded_binary(Op::less, a.known(), b.known())};
  }
  friend Mask operator<=(const Recorded& a, const Recorded& b) {
    return {recorded_binary(Op::less_equal, a.known(), b.known())};
  }
  friend Mask operator>(const Recorded& a, const Recorded& b) { return b < a; }
  friend Mask operator>=(const Recorded& a, const Recorded& b) { return b <= a; }
  friend Recorded select(const Mask& mask, const Recorded& a, const Recorded& b) {
    return of(recorded_select(mask.id, a.known(), b.known()));
  }

  friend Recorded fma(const Recorded& a, const Recorded& b, const Recorded& c) { return a * b + c; }
  friend Recorded rsqrt(const Recorded& a) { return Recorded(1.0) / sqrt(a); }
#define KALABA_RECORDED_1(name, real) \
  friend Recorded real(const Recorded& a) { return of(recorded_unary(Op::name, a.known())); }
#define KALABA_RECORDED_2(name, real)                           \
  friend Recorded real(const Recorded& a, const Recorded& b) {  \
    return of(recorded_binary(Op::name, a.known(), b.known())); \
  }
#define KALABA_RECORDED(name, real, arguments) KALABA_RECORDED_##arguments(name, real)
  KALABA_FUNCTIONS(KALABA_RECORDED)
#undef KALABA_RECORDED
#undef KALABA_RECORDED_2
#undef KALABA_RECORDED_1
  friend Recorded pow(const Recorded& a, const Recorded& b) {
    return of(recorded_binary(Op::power, a.known(), b.known()));
  }
};

}  // namespace kalaba::formula

namespace kalaba {

/// Vector of recorded numbers with bounds checks: with plain vectors a struct that reads p[3] of three parameters would
/// read the memory after them. Throws Error (bad_input).
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

/// Records a model struct into the graph of this thread's Recording by running its functions once.
template <class Stated>
class Recorder {
 public:
  using M = Stated;
  static constexpr int np = Dim<M>::parameters;
  static constexpr int nq = Dim<M>::q;
  static constexpr int nw = Dim<M>::w;

  Recorder() : raw_(symbols<np>(Op::parameter)), p_(named("prepare", [&] { return prepared<M>(raw_); })) {}

  Statement statement() {
    Statement s;
    s.info = detail::describe<M>();
    energy_or_terms(s);
    constraints(s);
    rest(s);
    return s;
  }

 private:
  using X = Recorded;

  /// Runs a function of the struct. Errors name the model and the function.
  template <class Function>
  static auto named(const char* name, const Function& function) {
    try {
      return function();
    } catch (const Error& error) {
      throw Error(error.code(), std::string(M::name) + ": " + name + ": " + error.what());
    }
  }

  template <int N>
  static Vec<X, N> symbols(Op kind) {
    Vec<X, N> result;
    for (int i = 0; i < N; ++i) result[i] = X::of(recorded_symbol(kind, i));
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
      if constexpr (lagrangian) s.lagrangian = id(named("lagrangian", [&] { return M::lagrangian(p_, t_, q_, w_); }));
      if constexpr (hamiltonian) {
        s.hamiltonian = id(named("hamiltonian", [&] { return M::hamiltonian(p_, t_, q_, w_); }));
      }
      if constexpr (requires { M::applied(p_, t_, q_, w_); }) {
        s.force = ids(named("applied", [&] { return M::applied(p_, t_, q_, w_); }));
      }
    } else {
      const auto metric = named("metric", [&] { return M::metric(p_, t_, q_); });
      s.diagonal = requires { metric.entry[0]; };
      s.metric = entries(metric);
      s.force = ids(named("force", [&] { return M::force(p_, t_, q_, w_); }));
      if constexpr (ModelParts<M>::has_velocity) {
        s.velocity = ids(named("velocity", [&] { return M::velocity(p_, t_, q_, w_); }));
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
    if constexpr (Dim<M>::holonomic > 0) s.holonomic = equations(ids(named("phi", [&] { return M::phi(p_, t_, q_); })));
    if constexpr (Dim<M>::nonholonomic > 0) {
      s.nonholonomic = equations(ids(named("psi", [&] { return M::psi(p_, t_, q_, w_); })));
    }
  }

  void rest(Statement& s) {
    if constexpr (Dim<M>::invariants > 0) {
      const auto values = ids(named("invariant", [&] { return M::invariant(p_, t_, q_, w_); }));
      for (std::size_t i = 0; i < values.size(); ++i) {
        const Variable& named = s.info.invariants[i];
        s.invariants.push_back({named.name, named.unit, named.meaning, values[i]});
      }
    }
    if constexpr (ModelParts<M>::has_non_ideal) {
      s.non_ideal = ids(named("non_ideal", [&] {
        if constexpr (ModelParts<M>::has_loaded_non_ideal) {
          Vec<X, Dim<M>::constraints> multipliers;
          for (int r = 0; r < Dim<M>::constraints; ++r) multipliers[r] = X::of(recorded_symbol(Op::ideal, nw + r));
          return M::non_ideal(p_, t_, q_, w_, symbols<nw>(Op::ideal), multipliers);
        } else {
          return M::non_ideal(p_, t_, q_, w_, symbols<nw>(Op::ideal));
        }
      }));
    }
    if constexpr (ModelParts<M>::actuated) {
      const auto S = named("actuation", [&] { return M::actuation(p_, t_, q_); });
      for (int j = 0; j < S.cols; ++j) {
        s.actuation.emplace_back();
        for (int i = 0; i < nw; ++i) s.actuation.back().push_back(S(i, j).known());
      }
    }
    if constexpr (ModelParts<M>::has_gain) s.gain = id(named("gain", [&] { return M::gain(p_); }));
    if constexpr (ModelParts<M>::has_position_gain) {
      s.position_gain = id(named("position_gain", [&] { return M::position_gain(p_); }));
    }
    if constexpr (ModelParts<M>::has_energy) s.energy = id(named("energy", [&] { return M::energy(p_, t_, q_, w_); }));
    if constexpr (ModelParts<M>::has_valid) s.valid = named("valid", [&] { return M::valid(p_, t_, q_, w_); }).id;
    Vec<X, nq> q;
    Vec<X, nw> w;
    named("start", [&] { M::start(raw_, q, w); });
    s.start_q = ids(q);
    s.start_w = ids(w);
  }

  Vec<X, np> raw_;
  Prepared<M, X> p_;
  X t_ = X::of(recorded_symbol(Op::time, 0));
  Vec<X, nq> q_ = symbols<nq>(Op::coordinate);
  Vec<X, nw> w_ = symbols<nw>(Op::rate);
};

/// Makes the system of a recorded statement, whose expressions are in the graph of the recording, which is moved from.
/// Throws Error (bad_input) if the statement is not valid mechanics (an energy that is not of second degree in the
/// rates).
System make_system(const Recording& recording, Statement statement);

}  // namespace kalaba::formula
