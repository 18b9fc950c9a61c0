#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace kalaba {

struct FileDimension {
  std::string name;
  std::size_t size = 0;
};

/// Variable of a file, without its values.
struct FileVariable {
  enum class Type { real, integer, long_integer, text };

  std::string name;
  Type type = Type::real;
  std::vector<std::string> dimensions;  ///< the last one fastest
  std::vector<std::size_t> shape;       ///< likewise
  std::string unit;                     ///< "": none; of several components "m, m, rad"
  std::string meaning;

  std::size_t size() const {
    std::size_t product = 1;
    for (const std::size_t each : shape) product *= each;
    return product;
  }
};

struct FileAttribute {
  std::string name;
  std::string text;  ///< numbers are converted to text
};

/// Variables, dimensions and attributes of a file, by name.
struct Inventory {
  std::vector<FileDimension> dimensions;
  std::vector<FileVariable> variables;
  std::vector<FileAttribute> attributes;  ///< global

  /// Returns the variable of that name, or nullptr.
  const FileVariable* find(const std::string& name) const {
    const auto found = std::ranges::find(variables, name, &FileVariable::name);
    return found == variables.end() ? nullptr : &*found;
  }
  /// Returns the global attribute of that name; "" if the file has none.
  std::string attribute(const std::string& name) const {
    const auto found = std::ranges::find(attributes, name, &FileAttribute::name);
    return found == attributes.end() ? "" : found->text;
  }
};

}  // namespace kalaba
