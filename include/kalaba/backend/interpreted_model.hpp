#pragma once

#include <cstdint>
#include <vector>

#include "kalaba/backend/row_plan.hpp"
#include "kalaba/core/base/operation.hpp"
#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// One operation on registers.
struct RegisterStep {
  Operation operation = Operation::copy;
  std::uint16_t to = 0;
  std::uint16_t a = 0;
  std::uint16_t b = 0;
  std::uint16_t c = 0;
  std::int32_t index = 0;  ///< exponent, or index in InterpretedModel::tables
};
using RegisterSteps = std::vector<RegisterStep>;

/// Register numbers of the quantities of an interpreted model, for a pack of members. The core's loops are compiled for
/// upper bounds of the extents of models: of coordinates and rates (`state`), constraints (`rows`), parameters and
/// invariants. Smaller models are padded: by rates of unit metric without force, and, for a pseudo-inverse of the
/// maximal number of rows, by rows that each hold one of those rates at rest.
struct RegisterMap {
  int state;
  int rows;
  int most_parameters;
  int most_invariants;
  bool fills_rows = true;
  static constexpr int most_contact_rows = 16;  ///< bound on `rows` of models with contacts
  static constexpr int most_reactions = 96;     ///< components of joint reactions
  constexpr int most_contacts() const { return rows <= most_contact_rows ? rows : 0; }

  constexpr int q() const { return 0; }
  constexpr int w() const { return q() + state; }
  constexpr int t() const { return w() + state; }
  constexpr int along() const { return t() + 1; }                ///< the ideal force, a correction of w, or w'
  constexpr int multipliers() const { return along() + state; }  ///< of the ideal force, if C depends on them
  constexpr int parameters() const { return multipliers() + rows; }
  // Results of the steps.
  constexpr int velocity() const { return parameters() + most_parameters; }
  constexpr int force() const { return velocity() + state; }
  constexpr int metric() const { return force() + state; }  ///< stored as MetricKind specifies
  constexpr int position() const { return metric() + state * (state + 1) / 2; }
  constexpr int rate() const { return position() + rows; }
  constexpr int b() const { return rate() + rows; }
  constexpr int matrix() const { return b() + rows; }                ///< the entries of InterpretedModel::matrix
  constexpr int results() const { return matrix() + rows * state; }  ///< of shift, non_ideal, valid, energy, ...
  constexpr int gains() const { return results() + most_results(); }
  constexpr int most_results() const {
    const int most_named = most_invariants < most_reactions ? most_reactions : most_invariants;
    return state < most_named ? most_named : state;
  }
  // Members of kalaba::SingleRow.
  constexpr int row_velocity() const { return gains() + 2; }
  constexpr int row_free() const { return row_velocity() + state; }
  constexpr int row_column() const { return row_free() + state; }
  constexpr int row_shift() const { return row_column() + state; }
  constexpr int row_position() const { return row_shift() + state; }
  constexpr int row_rate() const { return row_position() + 1; }
  constexpr int row_defect() const { return row_rate() + 1; }
  constexpr int row_gram() const { return row_defect() + 1; }
  constexpr int size() const { return row_gram() + 1; }  ///< of all; registers of intermediate results follow
};

enum class MetricKind { rooted, diagonal, symmetric };  ///< 1/sqrt of its diagonal, its diagonal, its lower triangle

/// Terms of a model as straight-line code on registers, with a pack of members in each register.
struct InterpretedModel {
  struct Constant {
    int place;
    double value;
  };
  struct Table {
    std::vector<double> rows;
    int degree;
    int count;
    int order;
  };

  RegisterMap map = {};
  int coordinates = 0;
  int rates = 0;
  int holonomic = 0;
  int constraints = 0;
  int parameters = 0;
  int invariants = 0;
  int reactions = 0;  ///< 0 if they exceed RegisterMap::most_reactions
  bool is_hamiltonian = false;
  bool velocity_is_w = false;
  bool has_energy = false;
  MetricKind metric = MetricKind::symmetric;
  RowPlan matrix;              ///< A; a single row is stored with its zeros
  RowPlan weighted;            ///< A F^-T
  RowPlan weighted_positions;  ///< its holonomic rows
  int registers = 0;
  std::vector<Constant> constants;
  std::vector<Table> tables;
  RegisterSteps prepare;           ///< quantities that depend on parameters only; gains
  RegisterSteps stage;             ///< velocity, metric, force, position, rate, b, matrix
  RegisterSteps constraint_stage;  ///< metric, position, rate and matrix only
  RegisterSteps row;               ///< members of kalaba::SingleRow; empty if the model has no such row
  RegisterSteps constraint_row;    ///< column, shift, position, rate and gram only
  RegisterSteps shift;             ///< results: dK/dw along
  RegisterSteps non_ideal;         ///< results: C, from the ideal force `along`
  bool needs_multipliers = false;  ///< C depends on the multipliers too
  RegisterSteps valid;             ///< results: a mask
  RegisterSteps energy;            ///< results
  RegisterSteps invariant;         ///< results
  RegisterSteps contact_gaps;      ///< results
  RegisterSteps contact_terms;     ///< results
  RegisterSteps reaction;          ///< results, from w' (`along`) and the multipliers

  int filled_rows() const { return map.fills_rows ? map.rows - constraints : 0; }
};

}  // namespace kalaba
