#pragma once

#include "formula/emit.hpp"
#include "formula/instructions.hpp"
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

/// Code of a recorded struct with its derivatives.
template <class Stated>
DeviceCode differentiated_code(const Derivatives& asked) {
  Graph graph;
  const Statement statement = record<Stated>(graph);
  const Terms terms = derive(graph, statement);
  return emit(graph, terms, Dim<Stated>::parameters, asked);
}

/// A recorded struct as steps on registers.
template <class Stated>
std::shared_ptr<const InterpretedModel> recorded_instructions(const RegisterMap& map) {
  Graph graph;
  const Statement statement = record<Stated>(graph);
  const Terms terms = derive(graph, statement);
  return instructions(graph, terms, Dim<Stated>::parameters, map);
}

}  // namespace kalaba::formula
