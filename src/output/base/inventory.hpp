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

/// A variable of a file, without its values.
struct FileVariable {
  enum class Type { real, integer, long_integer, text };

  std::string name;
  Type type = Type::real;
  std::vector<std::string> dimensions;  ///< the last one runs fastest
  std::vector<std::size_t> shape;       ///< likewise
  std::string unit;                     ///< "" where there is none; of several components "m, m, rad"
  std::string meaning;

  std::size_t size() const {
    std::size_t product = 1;
    for (const std::size_t each : shape) product *= each;
    return product;
  }
};

struct FileAttribute {
  std::string name;
  std::string text;  ///< numbers as text too
};

/// All that a file holds by name.
struct Inventory {
  std::vector<FileDimension> dimensions;
  std::vector<FileVariable> variables;
  std::vector<FileAttribute> attributes;  ///< global

  /// The variable of that name, or nullptr.
  const FileVariable* find(const std::string& name) const {
    const auto found = std::ranges::find(variables, name, &FileVariable::name);
    return found == variables.end() ? nullptr : &*found;
  }
  /// "" where the file has no such global attribute.
  std::string attribute(const std::string& name) const {
    const auto found = std::ranges::find(attributes, name, &FileAttribute::name);
    return found == attributes.end() ? "" : found->text;
  }
};

}  // namespace kalaba
