#pragma once

#include <string>
#include <vector>

#include <array>
#include "kalaba/system.hpp"
#include "output/netcdf/netcdf_file.hpp"

namespace kalaba {

/// System description from a file's labels: names and units of coordinates, rates, constraints and invariants, the
/// number of agents, and the parameters under the names of their variables. Throws Error(file_error) if labels do not
/// have the size of their dimension.
SystemInfo read_labels(const NetcdfFile& file, const std::string& path);

/// Layouts of all fields in a file with these labels; with the saved components only, if a file has only some of them.
std::vector<FieldLayout> read_layouts(const NetcdfFile& file, const std::string& path, const SystemInfo& labels);

/// Returns the id of a variable. Throws Error(file_error) if it is absent or has another shape.
int variable_of_shape(const NetcdfFile& file, const std::string& path, const std::string& name,
                      const std::vector<std::size_t>& shape);

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
