#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kalaba/system.hpp"

namespace kalaba::formula {

/// Index of a node in its graph. The arguments of a node come before it, so that indices are a topological order.
using Id = std::int32_t;

/// A named number of the state: a constraint's left side minus its right one, or an invariant.
struct Equation {
  std::string name;
  std::string unit;
  std::string meaning;
  Id value = -1;
};

/// A model as stated by its author, in one graph.
struct Statement {
  /// name, summary, source, note, structure, parameters, coordinates, rates (w: rates, momenta or quasi-velocities),
  /// time, stabilization, figures, and `invariance` of the invariants. make_system sets the rest.
  SystemInfo info;

  std::optional<Id> lagrangian;   ///< expression of t, q and the velocities: the rates, unless `quasi_velocities`
  std::optional<Id> hamiltonian;  ///< expression of t, q and the momenta
  /// With quasi-velocities, the velocities of a Lagrangian are not part of the state: symbols (Op::rate, nw + i), i <
  /// nq.
  bool quasi_velocities = false;

  /// Lower triangle by rows, or `diagonal`. Empty with an energy; beside a Lagrangian, of a part that it is added to.
  std::vector<Id> metric;
  bool diagonal = false;
  bool singular_metric = false;
  std::vector<Id> force;     ///< [n], by rate; with an energy, the applied forces. Empty: zero
  std::vector<Id> velocity;  ///< q' = K [nq]. Empty: q' = w
  std::vector<Equation> holonomic;
  std::vector<Equation> nonholonomic;
  std::vector<Equation> invariants;
  /// Components of joint reactions; Op::ideal is w' by rate, then the multiplier by constraint.
  std::vector<Equation> reactions;
  std::vector<Id> non_ideal;               ///< [n], may use Op::ideal: by rate, then by constraint. Empty: none
  std::vector<std::vector<Id>> actuation;  ///< columns of n
  std::optional<Id> gain;                  ///< expression of parameters, 1/s
  std::optional<Id> position_gain;         ///< expression of parameters, 1/s^2
  std::optional<Id> energy;                ///< with a metric and a Lagrangian: of the part of the metric
  std::optional<Id> valid;                 ///< a mask
  std::vector<Id> discrete_start;          ///< [info.discrete], expressions of the parameters before them
  std::vector<Id> start_q;                 ///< [nq], expressions of parameters and other initial values
  std::vector<Id> start_w;                 ///< [n], expressions of parameters and other initial values

  int nq() const { return static_cast<int>(info.coordinates.size()); }
  int nw() const { return static_cast<int>(info.rates.size()); }
};

}  // namespace kalaba::formula
