#pragma once

#include "formula/emit.hpp"
#include "formula/record.hpp"

namespace kalaba::formula {

/// A model struct written anew from its formulas: its terms in one straight line, with the zeros of its matrices known.
/// Throws Error (bad_input) where it is too large for that.
template <class Stated>
DeviceCode recorded_code() {
  Graph graph;
  const Statement statement = record<Stated>(graph);
  return emit(graph, derive(graph, statement), Dim<Stated>::parameters);
}

}  // namespace kalaba::formula
