#pragma once

#include <algorithm>

#include "kalaba/core/model/model.hpp"
#include "kalaba/system.hpp"

namespace kalaba {
namespace detail {

/// Parts of a model struct that states an energy or terms, tested with plain doubles.
template <class M>
struct StatedParts {
  using P = Prepared<M, double>;
  using Q = Vec<double, Dim<M>::q>;
  using W = Vec<double, Dim<M>::w>;
  static constexpr bool lagrangian = requires(P p, double t, Q q, W w) { M::lagrangian(p, t, q, w); };
  static constexpr bool hamiltonian = requires(P p, double t, Q q, W w) { M::hamiltonian(p, t, q, w); };
  static constexpr bool states_energy = lagrangian || hamiltonian;
  static constexpr bool has_energy = states_energy || requires(P p, double t, Q q, W w) { M::energy(p, t, q, w); };
  static constexpr bool description = requires {
    M::name;
    M::summary;
    M::source;
    M::equations;
    M::time.end;
  };
};

/// Formulation of a model struct: that of its energy, else the stated one.
template <class M>
constexpr Formulation formulation_of() {
  if constexpr (StatedParts<M>::hamiltonian) {
    return Formulation::hamilton;
  } else if constexpr (StatedParts<M>::lagrangian) {
    return Formulation::lagrange;
  } else {
    return M::formulation;
  }
}

/// Fails to compile, with a readable message, for a struct that is not a model.
template <class M>
constexpr bool check_stated_model() {
  if constexpr (StatedParts<M>::states_energy) {
    using Parts = ModelParts<M>;
    static_assert(StatedParts<M>::description, "a model states name, summary, source, equations and time");
    static_assert(Dim<M>::q == Dim<M>::w, "a Lagrangian or Hamiltonian model has one rate a coordinate");
    static_assert(Parts::start, "a model states start(p, q, w), which writes the default initial state");
    static_assert(Parts::phi, "a model with a holonomic[] table states phi(p, t, q)");
    static_assert(Parts::psi, "a model with a nonholonomic[] table states psi(p, t, q, w)");
    static_assert(Parts::invariant, "a model with an invariants[] table states invariant(p, t, q, w), a Vec of them");
    return true;
  } else {
    return check_model<M>();
  }
}

/// Rows of a table of a model struct, its pattern repeated `copies` times with "{}" numbered from 1.
std::vector<Variable> variables(const Quantity* table, int count, int copies);

template <int Count>
std::vector<Variable> variables(const Quantity (&table)[Count], int copies = 1) {
  return variables(table, Count, copies);
}

/// Writes the default initial state of a member with these parameters.
template <class M>
void default_start(const double* parameters, double* q, double* w) {
  Vec<double, Dim<M>::parameters> p;
  Vec<double, Dim<M>::q> start_q;
  Vec<double, Dim<M>::w> start_w;
  std::copy_n(parameters, Dim<M>::parameters, p.data);
  M::start(p, start_q, start_w);
  std::copy_n(start_q.data, Dim<M>::q, q);
  std::copy_n(start_w.data, Dim<M>::w, w);
}

/// Writes the exact state at t of the default run with these parameters.
template <class M>
void exact_state(const double* parameters, double t, double* q, double* w) {
  Vec<double, Dim<M>::parameters> p;
  Vec<double, Dim<M>::q> exact_q;
  Vec<double, Dim<M>::w> exact_w;
  std::copy_n(parameters, Dim<M>::parameters, p.data);
  M::closed_form(p, t, exact_q, exact_w);
  std::copy_n(exact_q.data, Dim<M>::q, q);
  std::copy_n(exact_w.data, Dim<M>::w, w);
}

/// Closed form of a model struct; null if it states none.
template <class M>
System::ClosedForm closed_form_of() {
  if constexpr (ModelParts<M>::has_closed_form) {
    return &exact_state<M>;
  } else {
    return nullptr;
  }
}

/// Fills in the defaults of coordinates and rates from the default start.
void complete_defaults(System& system);

/// Description of a model struct.
template <class M>
SystemInfo describe() {
  SystemInfo info;
  info.name = M::name;
  info.summary = M::summary;
  info.source = M::source;
  info.equations = M::equations;
  info.formulation = formulation_of<M>();
  if constexpr (requires { M::note; }) info.note = M::note;
  if constexpr (requires { M::structure_size; }) {
    info.structure[M::structure] = M::structure_size;
  } else if constexpr (requires { M::structure; }) {
    info.structure[M::structure] = M::copies;
  }
  constexpr int copies = copies_of<M>();
  info.parameters = variables(M::parameters);
  info.coordinates = variables(M::coordinates, copies);
  info.rates = variables(M::rates, copies);
  if constexpr (requires { M::holonomic; }) info.constraints = variables(M::holonomic, constraint_copies_of<M>());
  info.holonomic = Dim<M>::holonomic;
  if constexpr (requires { M::nonholonomic; }) {
    for (auto& row : variables(M::nonholonomic, constraint_copies_of<M>())) info.constraints.push_back(row);
  }
  if constexpr (Dim<M>::invariants > 0) {
    for (const Invariant& each : M::invariants) {
      info.invariants.push_back({each.name, each.unit, 0, each.meaning});
      info.invariance.push_back(each.kind);
    }
  }
  if constexpr (requires { M::figures; }) {
    for (const Figure& each : M::figures) info.figures.push_back({each.time, each.name, each.value, each.tolerance});
  }
  info.servo = ModelParts<M>::actuated;
  info.has_energy = StatedParts<M>::has_energy;
  if constexpr (requires { M::conserves_energy; }) info.conserves_energy = info.has_energy && M::conserves_energy;
  info.time = M::time;
  info.stabilization = default_stabilization<M>();
  return info;
}

}  // namespace detail
}  // namespace kalaba
