#pragma once

#include <optional>

#include "formula/mechanics/derive.hpp"

namespace kalaba::formula {

/// Equation of motion for one constraint and a diagonal metric of parameters only:
/// w' = free - column (defect / gram). A factor that column and gram have in common is left out.
struct SingleRow {
  std::vector<Id> velocity;  ///< K
  std::vector<Id> free;      ///< a
  std::vector<Id> column;    ///< G^-1 A^T
  std::vector<Id> shift;     ///< K_w column, of a holonomic constraint
  std::vector<Id> position;  ///< phi
  std::vector<Id> rate;      ///< phi' or psi
  Id defect;                 ///< A a - b
  Id gram;                   ///< A G^-1 A^T

  std::vector<Id> roots() const;
};

/// None of other models.
std::optional<SingleRow> single_row(Graph& graph, const Terms& terms);

}  // namespace kalaba::formula
