#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "output/netcdf/netcdf_file.hpp"

namespace kalaba {

/// Content of a file, by name: numbers as their bits, attributes as text; without creation time and speed.
inline std::map<std::string, std::vector<std::uint64_t>> numbers_of(const NetcdfFile& file) {
  std::map<std::string, std::vector<std::uint64_t>> numbers;
  for (const std::string& name : file.variable_names()) {
    const int variable = file.variable(name);
    if (file.type(variable) == NC_STRING) continue;
    const std::vector<std::size_t> shape = file.shape(variable);
    std::size_t size = 1;
    for (const std::size_t each : shape) size *= each;
    std::vector<double> values(size);
    file.get(variable, std::vector<std::size_t>(shape.size(), 0), shape, values.data());
    for (const double value : values) numbers[name].push_back(std::bit_cast<std::uint64_t>(value));
  }
  return numbers;
}

inline std::map<std::string, std::string> attributes_of(const NetcdfFile& file) {
  std::map<std::string, std::string> attributes;
  for (const std::string& name : file.attribute_names()) {
    if (name != "created" && name != "wall_seconds") attributes[name] = file.attribute(NC_GLOBAL, name);
  }
  return attributes;
}

}  // namespace kalaba
