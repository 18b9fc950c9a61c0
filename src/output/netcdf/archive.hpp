#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "kalaba/system.hpp"

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
  /// Returns the number that such an attribute is; `otherwise` if the file has none.
  double number(const std::string& name, double otherwise = std::numeric_limits<double>::quiet_NaN()) const {
    const std::string text = attribute(name);
    return text.empty() ? otherwise : std::strtod(text.c_str(), nullptr);
  }
};

class NetcdfFile;

/// All variables of a netCDF output, as in the file. Throws Error(file_error) naming the file.
class Archive {
 public:
  /// Opening throws if the file does not exist, is not netCDF, or was not written by Kalaba; Error(bad_input) if its
  /// name has another ending.
  enum class Unfinished { refused, shown };
  /// Refuses an unfinished file, unless the caller reports this to the user: see `unfinished`.
  explicit Archive(const std::string& path, Unfinished unfinished = Unfinished::refused);
  ~Archive();
  Archive(Archive&&) noexcept;

  const std::string& path() const { return path_; }
  /// Reason why the file is unfinished, so that its values must not be shown; "" if it is finished.
  const std::string& unfinished() const { return unfinished_; }
  const Inventory& inventory() const { return inventory_; }
  /// Reads numbers of a variable that is not text: `count` from `start` on in each dimension, the last fastest.
  std::vector<double> numbers(const std::string& variable, const std::vector<std::size_t>& start,
                              const std::vector<std::size_t>& count) const;
  /// Reads all numbers of a variable.
  std::vector<double> numbers(const FileVariable& variable) const {
    return numbers(variable.name, std::vector<std::size_t>(variable.shape.size(), 0), variable.shape);
  }
  /// Reads all texts of a variable.
  std::vector<std::string> texts(const std::string& variable) const;
  /// Verifies all checksums of the file; returns the number of bytes that they cover, 0 if it has none. Throws if a
  /// checksum does not match.
  std::uint64_t verify() const;
  /// System description from the file's labels: names and units of coordinates, rates, constraints, invariants, the
  /// number of agents, and the parameters under the names of their variables.
  SystemInfo labels() const;
  /// Layouts of all fields; with the saved components only, if the file has only some of them.
  std::vector<FieldLayout> layouts() const;

 private:
  std::string path_;
  std::string unfinished_;
  std::unique_ptr<NetcdfFile> file_;
  Inventory inventory_;
};

}  // namespace kalaba
