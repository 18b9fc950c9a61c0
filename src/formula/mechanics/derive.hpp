#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formula/graph/graph.hpp"
#include "kalaba/error.hpp"
#include "kalaba/formula/statement.hpp"

namespace kalaba::formula {

/// A matrix of expressions, row-major. Structural zeros are the number 0.
struct Matrix {
  int rows = 0;
  int cols = 0;
  std::vector<Id> entries;

  Id& operator()(int i, int j) { return entries[static_cast<std::size_t>(i * cols + j)]; }
  Id operator()(int i, int j) const { return entries[static_cast<std::size_t>(i * cols + j)]; }
};

/// Rows of a contact, and its discrete variables (ContactFriction) by their indices among the parameters.
struct ContactRows {
  int row = 0;  ///< of A and phi: mode * gap
  int mode = 0;
  int stick_row = -1;  ///< of A: sticks * slip; -1: no friction
  int stick_rows = 0;  ///< 2 for friction in a plane
  int sticks = -1;
  int slides = -1;
};

/// The terms of w' = a + …, A w' = b, q' = K, with nq coordinates and nw rates. Rows of A and b: the holonomic
/// constraints first, then the nonholonomic ones.
struct Terms {
  Formulation formulation = Formulation::lagrange;
  bool velocity_is_w = false;  ///< q' = w
  std::vector<Id> velocity;    ///< K [nq]
  Matrix velocity_jacobian;    ///< dK/dw [nq x nw]
  bool diagonal = false;
  std::vector<Id> metric;  ///< G: its diagonal [nw], or its lower triangle by rows
  bool singular_metric = false;
  std::vector<ContactRows> contacts;
  std::vector<Id> inverse_root;  ///< 1/sqrt of a diagonal G that depends on parameters alone [nw]; else empty
  std::vector<Id> force;         ///< the given force [nw], see Formulation
  std::vector<Id> phi;           ///< [holonomic]
  std::vector<Id> phi_dot;       ///< [holonomic]
  std::vector<Id> psi;           ///< [nonholonomic]
  Matrix A;                      ///< d(phi', psi)/dw [m x nw]
  std::vector<Id> b;             ///< -(phi'', psi') at w' = 0 [m]
  /// dphi/dq of the rows of phi whose row of A vanishes identically, which no correction of the rates can restore; zero
  /// in the others [holonomic x nq]. Without rows where there are none.
  Matrix unreached;
  std::vector<Id> invariants;
  std::vector<Id> reactions;  ///< of joints; of w' (Op::ideal, by rate) and behind it of the multipliers
  /// [nw], of the ideal force (Op::ideal, by rate) and behind it of its multipliers; empty where there is none
  std::vector<Id> non_ideal;
  Matrix actuation;  ///< [nw x actuators]
  std::optional<Id> gain;
  std::optional<Id> position_gain;
  std::optional<Id> energy;
  std::optional<Id> valid;
  /// Starts, of parameters, of starts that are given (Op::coordinate, Op::rate), and of flags (Op::observed, by place:
  /// coordinates, then rates), 1 where a start is given and 0 where the model's own expression counts.
  std::vector<Id> start_q;
  std::vector<Id> start_w;
  std::vector<std::vector<int>> start_needs;  ///< by place, the starts that its expression is directly of

  /// G_ij of the lower triangle or of the diagonal; -1 for what a diagonal metric has not.
  Id metric_entry(int i, int j) const;
  bool needs_multipliers(const Graph& graph) const;  ///< C of the non-ideal force is of them
  bool has_unreached() const { return unreached.rows > 0; }
  std::vector<Id> stage() const;  ///< the roots of what one evaluation of w' needs
  std::vector<Id> all() const;    ///< these, and all else but the start, dK/dw and `unreached`
};

/// Error of a statement: the part at fault, and the index of the entry if the part is a list.
class StatementError : public Error {
 public:
  StatementError(const std::string& part, int entry, const std::string& message)
      : Error(ExitCode::bad_input, message), part(part), entry(entry) {}
  std::string part;  ///< "lagrangian", "hamiltonian", "metric", "velocity", "holonomic", "start_q" … as in Statement
  int entry;         ///< -1 where it is one expression
  /// For an energy of the wrong degree: the faulty part, its degree (`not_polynomial` if it has none), and the rate
  /// with the highest degree.
  Id at = -1;
  int degree = 0;
  int rate = -1;
};

/// Throws StatementError where an energy is not of second degree in the rates, or a part depends on what it may not.
Terms derive(Graph& graph, const Statement& statement);

}  // namespace kalaba::formula
