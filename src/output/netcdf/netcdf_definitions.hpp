#pragma once

#include <map>
#include <string>
#include <vector>

#include "kalaba/fields.hpp"
#include "output/netcdf/dataset_writer.hpp"

namespace kalaba {

/// Defines the dimensions and variables of a file under way.
class NetcdfDefinitions {
 public:
  explicit NetcdfDefinitions(DatasetWriter& file) : file_(file) {}

  DatasetWriter& file() { return file_; }
  /// Whether a dimension or variable has this name.
  bool is_taken(const std::string& name) const;
  std::size_t size(const std::string& dimension) const { return dimensions_.at(dimension).size; }

  void add_dimension(const std::string& name, std::size_t size);
  /// A variable over dimensions that were added. One whose last is `member` lies in one piece, and is undefined where
  /// nothing is written.
  int add_variable(const std::vector<std::string>& dimensions, const std::string& name, nc_type type);
  /// A variable of doubles; no attribute where unit or meaning are empty. NaN where nothing is written, but over
  /// members.
  int add_number(const std::vector<std::string>& dimensions, const std::string& name, const std::string& unit,
                 const std::string& meaning);
  /// Likewise, of a field or of something in its units.
  int add_field_number(const std::vector<std::string>& dimensions, const FieldLayout& layout, const std::string& name,
                       const std::string& meaning);
  /// A variable of counts: 64-bit integers without a fill value, with which readers would make doubles of them.
  int add_count(const std::vector<std::string>& dimensions, const std::string& name, const std::string& meaning);

 private:
  struct Dimension {
    int id;
    std::size_t size;
  };

  DatasetWriter& file_;
  std::map<std::string, Dimension> dimensions_;
  std::vector<std::string> names_;  // of the variables so far
};

}  // namespace kalaba
