#pragma once

#include <netcdf.h>

#include <string>
#include <variant>
#include <vector>

namespace kalaba {

/// Of a variable, or of the whole.
using AttributeValue =
    std::variant<std::string, std::vector<std::string>, double, std::vector<long long>, unsigned long long>;

/// Where the schema of a run's numbers (netcdf_schema_writer.hpp) is laid out and filled: a netCDF file, or arrays in
/// memory. Dimensions and variables are known by the numbers that adding them returned; types are netCDF's.
class DatasetWriter {
 public:
  virtual ~DatasetWriter() = default;

  virtual int add_dimension(const std::string& name, std::size_t size) = 0;
  virtual int add_variable(const std::string& name, nc_type type, const std::vector<int>& dimensions) = 0;
  /// What is never written reads as NaN (which only a floating-point variable has).
  virtual void set_fill_nan(int variable) = 0;
  /// What is never written is undefined.
  virtual void set_no_fill(int variable) = 0;
  /// What is never written of a variable of whole numbers reads as this, without an attribute that says so: readers
  /// would take the value for a missing one.
  virtual void set_silent_fill(int variable, int value) = 0;
  /// Hands everything to the system; it is not yet durable.
  virtual void flush() = 0;

  // Attributes of a variable, or of the whole: NC_GLOBAL.
  virtual void set_text(int variable, const std::string& name, const std::string& text) = 0;
  virtual void set_texts(int variable, const std::string& name, const std::vector<std::string>& texts) = 0;
  virtual void set_number(int variable, const std::string& name, double value) = 0;
  virtual void set_integers(int variable, const std::string& name, const std::vector<long long>& values,
                            nc_type type) = 0;
  virtual void set_unsigned(int variable, const std::string& name, unsigned long long value) = 0;

  /// `count` numbers of each dimension from `start` on, the last fastest.
  virtual void put(int variable, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count,
                   const double* values) = 0;
  virtual void put(int variable, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count,
                   const int* values) = 0;
  virtual void put_strings(int variable, const std::vector<std::string>& texts) = 0;
  /// A variable of bytes, and its dimension NAME_bytes.
  virtual void put_bytes(const std::string& name, const std::string& bytes) = 0;

  virtual std::vector<std::size_t> shape(int variable) const = 0;
};

}  // namespace kalaba
