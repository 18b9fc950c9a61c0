#pragma once

#include "formula/make_system.hpp"
#include "kalaba/formula/record.hpp"

namespace kalaba::formula {

/// Makes a system of the catalogue from its struct, as kalaba::make_system does, but records and derives only when a
/// backend first needs the formulas: a program that runs one system does not derive all.
template <class M>
System catalogue_system() {
  static_assert(detail::check_stated_model<M>());
  System system = deferred_system(detail::describe<M>(), &detail::default_start<M>, [] {
    Graph graph;
    const Recording recording(graph);
    const Statement statement = Recorder<M>().statement();
    Terms terms = derive(graph, statement);
    return DerivedModel{std::move(graph), std::move(terms)};
  });
  system.closed_form = detail::closed_form_of<M>();
  return system;
}

}  // namespace kalaba::formula
