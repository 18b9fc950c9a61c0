#pragma once

#include <map>
#include <string>
#include <vector>

#include "kalaba/fields.hpp"
#include "output/netcdf/dataset_writer.hpp"

namespace kalaba {

/// Defines the dimensions and variables of a file that is being written.
class NetcdfDefinitions {
 public:
  explicit NetcdfDefinitions(DatasetWriter& file) : file_(file) {}

  DatasetWriter& file() { return file_; }
  /// Returns true if a dimension or variable has this name.
  bool is_taken(const std::string& name) const;
  std::size_t size(const std::string& dimension) const { return dimensions_.at(dimension).size; }

  void add_dimension(const std::string& name, std::size_t size);
  /// Adds a variable over dimensions that were added. If the last one is `member`, the variable is contiguous, and
  /// unwritten numbers are undefined.
  int add_variable(const std::vector<std::string>& dimensions, const std::string& name, nc_type type);
  /// Adds a variable of doubles, with attributes for a unit and a meaning that are not empty. Unwritten numbers are
  /// NaN, except over members.
  int add_number(const std::vector<std::string>& dimensions, const std::string& name, const std::string& unit,
                 const std::string& meaning);
  /// Likewise for a field or a quantity in its units.
  int add_field_number(const std::vector<std::string>& dimensions, const FieldLayout& layout, const std::string& name,
                       const std::string& meaning);
  /// Adds a variable of counts: 64-bit integers without a fill value, which would make readers convert them to doubles.
  int add_count(const std::vector<std::string>& dimensions, const std::string& name, const std::string& meaning);

 private:
  struct Dimension {
    int id;
    std::size_t size;
  };

  DatasetWriter& file_;
  std::map<std::string, Dimension> dimensions_;
  std::vector<std::string> names_;  // of the variables added so far
};

}  // namespace kalaba
