#include "output/netcdf/netcdf_definitions.hpp"

#include <algorithm>

namespace kalaba {

bool NetcdfDefinitions::is_taken(const std::string& name) const {
  return dimensions_.contains(name) || std::ranges::count(names_, name) > 0;
}

void NetcdfDefinitions::add_dimension(const std::string& name, std::size_t size) {
  dimensions_[name] = {file_.add_dimension(name, size), size};
}

int NetcdfDefinitions::add_variable(const std::vector<std::string>& dimensions, const std::string& name, nc_type type) {
  std::vector<int> ids;
  for (const std::string& dimension : dimensions) ids.push_back(dimensions_.at(dimension).id);
  const int variable = file_.add_variable(name, type, ids);
  if (dimensions.back() == "member") file_.set_no_fill(variable);
  names_.push_back(name);
  return variable;
}

int NetcdfDefinitions::add_number(const std::vector<std::string>& dimensions, const std::string& name,
                                  const std::string& unit, const std::string& meaning) {
  const int variable = add_variable(dimensions, name, NC_DOUBLE);
  if (dimensions.back() != "member") file_.set_fill_nan(variable);
  if (!meaning.empty()) file_.set_text(variable, "long_name", meaning);
  if (!unit.empty()) file_.set_text(variable, "units", unit);
  return variable;
}

int NetcdfDefinitions::add_field_number(const std::vector<std::string>& dimensions, const FieldLayout& layout,
                                        const std::string& name, const std::string& meaning) {
  const std::vector<std::string>& units = layout.units;
  const bool one_unit = std::ranges::all_of(units, [&](const std::string& unit) { return unit == units[0]; });
  const int variable = add_number(dimensions, name, one_unit ? units[0] : "", meaning);
  if (!one_unit) file_.set_texts(variable, "component_units", units);
  return variable;
}

int NetcdfDefinitions::add_count(const std::vector<std::string>& dimensions, const std::string& name,
                                 const std::string& meaning) {
  const int variable = add_variable(dimensions, name, NC_INT64);
  file_.set_text(variable, "long_name", meaning);
  file_.set_text(variable, "units", "1");
  return variable;
}

}  // namespace kalaba
