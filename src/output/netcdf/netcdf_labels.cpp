#include "output/netcdf/netcdf_labels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kalaba/error.hpp"

namespace kalaba {

SystemInfo read_labels(const NetcdfFile& file, const std::string& path) {
  SystemInfo system;
  system.has_energy = true;
  if (file.has_dimension("agent")) system.agents = static_cast<long>(file.dimension_size("agent"));
  for (const LabelledDimension& dimension : labelled_dimensions) {
    const std::string name = dimension.name;
    if (!file.has_variable(name)) continue;
    const std::size_t size = file.dimension_size(name);
    const std::vector<std::string> names = file.get_strings(variable_of_shape(file, path, name, {size}));
    const std::vector<std::string> units = file.get_strings(variable_of_shape(file, path, name + "_unit", {size}));
    for (std::size_t i = 0; i < size; ++i) (system.*dimension.variables).push_back({names[i], units[i], 0, ""});
  }
  if (file.attribute(NC_GLOBAL, "parameters").empty()) return system;
  for (const std::string& name : file.texts("parameters")) {
    system.parameters.push_back({name, file.attribute(file.variable(name), "units"), 0, ""});
  }
  return system;
}

std::vector<FieldLayout> read_layouts(const NetcdfFile& file, const std::string& path, const SystemInfo& labels) {
  const std::string discrete = "discrete";
  std::vector<FieldLayout> layouts;
  for (const Field field : all_fields) {
    FieldLayout layout = field_layout(labels, field);
    if (field == Field::invariants && !file.attribute(NC_GLOBAL, discrete).empty()) layout.held = file.texts(discrete);
    const std::string dimension = layout.name + "_" + layout.dimension;
    if (!layout.dimension.empty() && file.has_dimension(dimension)) {
      const std::vector<Variable>& all = labels_of(labels, field);
      std::vector<std::size_t> chosen;
      for (const std::string& name : file.get_strings(file.variable(dimension))) {
        const auto found = std::ranges::find(all, name, &Variable::name);
        if (found == all.end()) {
          throw Error(ExitCode::file_error,
                      fmt::format("{}: the {} {} is unknown: is this a file of kalaba's?", path, dimension, name));
        }
        chosen.push_back(static_cast<std::size_t>(found - all.begin()));
      }
      layout = chosen_layout(std::move(layout), std::move(chosen));
    }
    layouts.push_back(std::move(layout));
  }
  return layouts;
}

int variable_of_shape(const NetcdfFile& file, const std::string& path, const std::string& name,
                      const std::vector<std::size_t>& shape) {
  const int id = file.variable(name);
  const std::vector<std::size_t> found = file.shape(id);
  if (found != shape) {
    throw Error(ExitCode::file_error,
                fmt::format("{}: the variable {} has the shape {}, expected {}: is this a file of kalaba's?", path,
                            name, found, shape));
  }
  return id;
}

}  // namespace kalaba
