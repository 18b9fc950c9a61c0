#pragma once

#include "kalaba/backend/reference.hpp"
#include "kalaba/core/energy.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

namespace detail {

/// A model's table as variables, its pattern repeated `copies` times with "{}" numbered from 1.
std::vector<Variable> variables(const Quantity* table, int count, int copies);

template <int Count>
std::vector<Variable> variables(const Quantity (&table)[Count], int copies = 1) {
  return variables(table, Count, copies);
}

template <Model M>
void default_start(const double* parameters, double* q, double* w) {
  Vec<double, Dim<M>::parameters> p;
  Vec<double, Dim<M>::q> start_q;
  Vec<double, Dim<M>::w> start_w;
  std::copy_n(parameters, Dim<M>::parameters, p.data);
  M::start(p, start_q, start_w);
  std::copy_n(start_q.data, Dim<M>::q, q);
  std::copy_n(start_w.data, Dim<M>::w, w);
}

template <Model M>
void closed_form(const double* parameters, double t, double* q, double* w) {
  Vec<double, Dim<M>::parameters> p;
  Vec<double, Dim<M>::q> exact_q;
  Vec<double, Dim<M>::w> exact_w;
  std::copy_n(parameters, Dim<M>::parameters, p.data);
  M::closed_form(p, t, exact_q, exact_w);
  std::copy_n(exact_q.data, Dim<M>::q, q);
  std::copy_n(exact_w.data, Dim<M>::w, w);
}

template <Model M>
SystemInfo describe() {
  SystemInfo info;
  info.name = M::name;
  info.summary = M::summary;
  info.source = M::source;
  info.equations = M::equations;
  info.formulation = M::formulation;
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
  info.has_energy = ModelParts<M>::has_energy;
  if constexpr (requires { M::conserves_energy; }) info.conserves_energy = info.has_energy && M::conserves_energy;
  info.time = M::time;
  info.stabilization = default_stabilization<M>();
  return info;
}

/// Fills in the defaults of coordinates and rates from the default start.
void complete_defaults(System& system);

}  // namespace detail

/// A system from a model, or from one that states its energy, that no time loop is compiled for yet: its description
/// and the reference. Where `code` says how its model is found, the loop is compiled when it first runs.
template <class Stated>
System describe_system(DeviceCode code = {}) {
  using M = WithTerms<Stated>;
  static_assert(check_model<M>());
  System system;
  system.info = detail::describe<M>();
  system.default_start = &detail::default_start<M>;
  if constexpr (ModelParts<M>::has_closed_form) system.closed_form = &detail::closed_form<M>;
  system.reference = &make_reference_runner<M>;
  system.device_code = std::move(code);
  detail::complete_defaults(system);
  return system;
}

}  // namespace kalaba
