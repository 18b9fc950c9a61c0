#pragma once

#include <string>

#include "kalaba/system.hpp"

namespace kalaba {

/// A source of more lines, one an operation, is long.
inline constexpr int most_lines_optimized = 4'000;

/// A model's text, and its level of optimisation.
struct ModelSource {
  std::string text;
  bool unrolls = false;  ///< loops over packs are unrolled before all other optimisations
  bool is_long = false;  ///< optimisations whose time grows faster than the length are left out
  int operations = 0;    ///< DeviceCode::operations
};

/// Fingerprint of a source and of the headers that it includes.
std::string key_of(const ModelSource& source);

/// Returns the C++ text that compiles a model for exactly these options: its precision, pseudo-inverse and integrator,
/// and whether events are watched. Numbers (tolerances, times, the events themselves) are passed at run time. With
/// `counts`, the numbers count their operations.
ModelSource model_source(const DeviceCode& model, const Options& options, bool counts = false);

}  // namespace kalaba
