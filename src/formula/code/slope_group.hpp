#pragma once

#include <map>
#include <unordered_map>

#include "formula/code/slopes.hpp"

namespace kalaba::formula {

/// Splits the directional derivatives of a set of expressions into coefficients that do not depend on the direction,
/// and a linear combination of the direction.
class SlopeGroup {
 public:
  /// `columns`: the parameter, or the time, that each is along, or -1. `directions`: number of directions of a stage.
  SlopeGroup(Graph& graph, const Terms& terms, const std::vector<Id>& columns, std::size_t directions,
             const std::string& name);

  /// Returns a new symbol of which the formulas are functions, in addition to p, t, q and w.
  Id known();
  std::vector<Id> known(std::size_t count);

  /// Returns the slopes of the formulas. With `moving`, the slopes of the known symbols are part of the direction.
  Slopes of(const std::vector<Id>& formulas, bool moving = false);

 private:
  using Ids = std::vector<Id>;
  using Direction = std::unordered_map<Id, Id>;

  Id new_name();
  Direction direction();
  void add_own(const Ids& formulas);
  Ids along(const Ids& formulas, const Direction& direction);
  Slopes entries(const Ids& formulas, const Direction& direction);
  Id keep(Id id, Slopes& slopes, std::map<Id, Id>& exchanged);
  void keep_own(Slopes& slopes, std::map<Id, Id>& exchanged);
  Slopes split(const Ids& along);
  template <class Kind>
  std::vector<bool> depends(const Ids& roots, const Kind& kind) const;
  long cost(const Slopes& slopes) const;

  Graph& g_;
  const Ids& columns_;
  std::size_t directions_;
  std::size_t nq_;
  std::size_t nw_;
  int names_ = 0;
  Slopes slopes_;
};

}  // namespace kalaba::formula
