#pragma once

#include <array>

#include "kalaba/system.hpp"

namespace kalaba {

/// Named dimension of the file: `NAME(NAME)` holds the labels, `NAME_unit(NAME)` the units.
struct LabelledDimension {
  const char* name;
  std::vector<Variable> SystemInfo::*variables;
  bool is_reaction = false;  ///< written with the field joint_reactions only
};

inline constexpr std::array<LabelledDimension, 7> labelled_dimensions = {{
    {"coordinate", &SystemInfo::coordinates},
    {"rate", &SystemInfo::rates},
    {"constraint", &SystemInfo::constraints},
    {"invariant", &SystemInfo::invariants},
    {"reaction", &SystemInfo::reactions, true},
    {"sensitivity", &SystemInfo::sensitivities},
    {"exponent", &SystemInfo::exponents},
}};

}  // namespace kalaba
