#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kalaba/run.hpp"
#include "output/base/sink.hpp"
#include "output/netcdf/netcdf_file.hpp"

namespace kalaba {

/// In-memory arrays with the schema of an output: the same names, dimensions, types and attributes as a netCDF file.
/// May hold the layout only, if the numbers are stored elsewhere.
class ArrayDataset final : public DatasetWriter {
 public:
  enum class Holds { numbers, layout };
  explicit ArrayDataset(Holds what = Holds::numbers) : what_(what) {}

  struct Attribute {
    std::string name;
    AttributeValue value;
    nc_type type = NC_NAT;  ///< if of integers
  };

  struct Array {
    std::string name;
    nc_type type = NC_NAT;             ///< NC_DOUBLE, NC_INT, NC_INT64, NC_UBYTE or NC_STRING
    std::vector<int> dimensions = {};  ///< indices into ArrayDataset::dimensions()
    std::vector<std::size_t> shape = {};
    std::shared_ptr<void> numbers = nullptr;  ///< the last dimension fastest; null for NC_STRING and for a layout
    std::vector<std::string> texts = {};      ///< for NC_STRING
    std::vector<Attribute> attributes = {};
    bool fills_nan = false;  ///< unwritten numbers read as NaN
    bool is_filled = true;   ///< false: unwritten numbers are undefined

    std::size_t size() const;
  };

  const std::vector<std::pair<std::string, std::size_t>>& dimensions() const { return dimensions_; }
  const std::vector<Array>& arrays() const { return arrays_; }
  const std::vector<Attribute>& attributes() const { return attributes_; }
  /// Returns the array of that name, or nullptr.
  const Array* find(const std::string& name) const;

  int add_dimension(const std::string& name, std::size_t size) override;
  /// Throws Error(bad_input), with a remedy, if the machine has too little memory.
  int add_variable(const std::string& name, nc_type type, const std::vector<int>& dimensions) override;
  void set_fill_nan(int variable) override;
  void set_no_fill(int variable) override { array(variable).is_filled = false; }
  void set_silent_fill(int variable, int value) override;
  void flush() override {}

  void set_text(int variable, const std::string& name, const std::string& text) override;
  void set_texts(int variable, const std::string& name, const std::vector<std::string>& texts) override;
  void set_number(int variable, const std::string& name, double value) override;
  void set_integers(int variable, const std::string& name, const std::vector<long long>& values, nc_type type) override;
  void set_unsigned(int variable, const std::string& name, unsigned long long value) override;

  void put(int variable, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count,
           const double* values) override;
  void put(int variable, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count,
           const int* values) override;
  void put_strings(int variable, const std::vector<std::string>& texts) override;
  void put_bytes(const std::string& name, const std::string& bytes) override;

  std::vector<std::size_t> shape(int variable) const override { return array(variable).shape; }

 private:
  Array& array(int variable) { return arrays_[static_cast<std::size_t>(variable)]; }
  const Array& array(int variable) const { return arrays_[static_cast<std::size_t>(variable)]; }
  void allocate(Array& array);
  void set(int variable, const std::string& name, AttributeValue value, nc_type type = NC_NAT);

  Holds what_;
  double bytes_ = 0;  ///< of all numbers
  std::vector<std::pair<std::string, std::size_t>> dimensions_;
  std::vector<Array> arrays_;
  std::vector<Attribute> attributes_;  // global
};

/// Sink that stores its numbers in memory. The dataset is complete when the run has finished.
std::unique_ptr<Sink> make_array_sink(std::shared_ptr<ArrayDataset> dataset, const Provenance& provenance);

/// Layout of a file that Kalaba wrote, with or without its numbers.
ArrayDataset layout_of(const NetcdfFile& file, ArrayDataset::Holds what = ArrayDataset::Holds::layout);
ArrayDataset read_dataset(const NetcdfFile& file);

/// Writes the dataset as a netCDF file, bitwise identical to the file of a run except for its time of creation.
void write_netcdf(const ArrayDataset& dataset, const std::string& path);

}  // namespace kalaba
