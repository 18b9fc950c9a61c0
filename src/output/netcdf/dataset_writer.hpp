#pragma once

#include <netcdf.h>

#include <string>
#include <variant>
#include <vector>

namespace kalaba {

/// Value of an attribute, of a variable or global.
using AttributeValue =
    std::variant<std::string, std::vector<std::string>, double, std::vector<long long>, unsigned long long>;

/// Interface for defining and writing the schema of a run's numbers (netcdf_schema_writer.hpp): a netCDF file, or
/// arrays in memory. Dimensions and variables are identified by the ids that their definition returned; types are
/// netCDF's.
class DatasetWriter {
 public:
  virtual ~DatasetWriter() = default;

  virtual int add_dimension(const std::string& name, std::size_t size) = 0;
  virtual int add_variable(const std::string& name, nc_type type, const std::vector<int>& dimensions) = 0;
  /// Makes unwritten numbers read as NaN (floating-point variables only).
  virtual void set_fill_nan(int variable) = 0;
  /// Leaves unwritten numbers undefined.
  virtual void set_no_fill(int variable) = 0;
  /// Makes unwritten numbers of an integer variable read as `value`, without a _FillValue attribute: readers would
  /// treat the value as missing.
  virtual void set_silent_fill(int variable, int value) = 0;
  /// Passes all data to the operating system; they are not yet durable.
  virtual void flush() = 0;

  // Attributes of a variable, or global ones: NC_GLOBAL.
  virtual void set_text(int variable, const std::string& name, const std::string& text) = 0;
  virtual void set_texts(int variable, const std::string& name, const std::vector<std::string>& texts) = 0;
  virtual void set_number(int variable, const std::string& name, double value) = 0;
  virtual void set_integers(int variable, const std::string& name, const std::vector<long long>& values,
                            nc_type type) = 0;
  virtual void set_unsigned(int variable, const std::string& name, unsigned long long value) = 0;

  /// Writes `count` numbers of each dimension from `start` on, the last fastest.
  virtual void put(int variable, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count,
                   const double* values) = 0;
  virtual void put(int variable, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count,
                   const int* values) = 0;
  virtual void put_strings(int variable, const std::vector<std::string>& texts) = 0;
  /// Adds a variable of bytes, and its dimension NAME_bytes.
  virtual void put_bytes(const std::string& name, const std::string& bytes) = 0;

  virtual std::vector<std::size_t> shape(int variable) const = 0;
};

}  // namespace kalaba
