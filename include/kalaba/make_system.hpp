#pragma once

#include "kalaba/formula/record.hpp"

namespace kalaba {

/// Makes a system from a model struct. The functions of the struct run once and are recorded as formulas. The system is
/// then like one from a text model: its equations are derived and simplified, and each run compiles them for its
/// options or interprets them. Throws Error (bad_input), with the name of the function, for an uninitialized number,
/// for an index that is out of range, and for an energy that is not of second degree in the rates.
template <class M>
System make_system() {
  static_assert(detail::check_stated_model<M>());
  const formula::Recording recording;
  System system = formula::make_system(recording, formula::Recorder<M>().statement());
  system.closed_form = detail::closed_form_of<M>();
  return system;
}

}  // namespace kalaba
