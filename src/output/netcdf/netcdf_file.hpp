#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "output/netcdf/dataset_writer.hpp"

namespace kalaba {

class DataSums;

/// Throws Error(file_error) for a name that the netCDF library would interpret as another one.
void check_netcdf_name(const std::string& path);

/// Open netCDF-4 file; every call is checked. Throws Error(file_error) with the file, the operation, and the library's
/// message. A file that is not closed after writing is abandoned, unfinished.
class NetcdfFile final : public DatasetWriter {
 public:
  /// `shown_name`: name of the file in messages.
  static NetcdfFile create(const std::string& path, const std::string& shown_name);
  /// Opens a file for reading. Verifies its checksums, if it has any, before the library reads it; those of the
  /// members' numbers when the numbers are read. Refuses pipes and devices.
  static NetcdfFile open(const std::string& path);
  /// Opens a file that Kalaba wrote, to continue writing.
  static NetcdfFile reopen(const std::string& path, const std::string& shown_name);
  /// Creates a file in memory that is never written to a disk.
  static NetcdfFile create_in_memory(const std::string& shown_name);
  ~NetcdfFile() override;
  NetcdfFile(NetcdfFile&& other) noexcept;
  NetcdfFile& operator=(NetcdfFile&& other) noexcept;
  NetcdfFile(const NetcdfFile&) = delete;
  NetcdfFile& operator=(const NetcdfFile&) = delete;

  /// Ends writing; afterwards only the destructor may be called.
  void close();
  /// Adds the numbers that are written from now on to the checksums `sums`, which must outlive the file.
  void sum_into(DataSums& sums) { sums_ = &sums; }
  /// Adds a variable of numbers to `sums`.
  void add_to(DataSums& sums, int variable) const;

  int add_dimension(const std::string& name, std::size_t size) override;
  int add_variable(const std::string& name, nc_type type, const std::vector<int>& dimensions) override;
  void set_fill_nan(int variable) override;
  void set_no_fill(int variable) override;
  void set_silent_fill(int variable, int value) override;
  void flush() override;

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

  std::vector<std::string> dimension_names() const;
  std::vector<std::string> dimension_names(int variable) const;
  std::vector<std::string> variable_names() const;
  std::vector<std::string> attribute_names(int variable = NC_GLOBAL) const;
  nc_type type(int variable) const;
  /// Attribute as text; several values are separated by commas; "" if it is absent.
  std::string attribute(int variable, const std::string& name) const;
  /// Attribute with its value as it was set. Throws if it is absent or has another type.
  AttributeValue attribute_value(int variable, const std::string& name) const;
  void put_bytes(const std::string& name, const std::string& bytes) override;
  std::string get_bytes(const std::string& name) const;
  /// Writes all content to a new file, with numbers compressed by deflate of this level (compressed_file.hpp).
  void copy_to(NetcdfFile& copy, int level) const;

  bool has_variable(const std::string& name) const;
  int variable(const std::string& name) const;
  bool has_dimension(const std::string& name) const;
  std::size_t dimension_size(const std::string& name) const;
  /// Global attribute that is one number, or texts. Throws if it is absent.
  double number(const std::string& name) const;
  std::vector<std::string> texts(const std::string& name, int variable = NC_GLOBAL) const;
  std::vector<std::size_t> shape(int variable) const override;
  std::vector<std::string> get_strings(int variable) const;
  void get(int variable, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count,
           double* values) const;
  /// Verifies all checksums of a file open for reading; returns the number of bytes that they cover, 0 if it has none.
  std::uint64_t verify_all() const;

 private:
  struct Reading;

  NetcdfFile(std::string shown_name, bool writing) : shown_name_(std::move(shown_name)), writing_(writing) {}
  void check(int status, std::string_view doing) const;
  std::vector<int> dimensions_of(int variable) const;
  std::vector<std::string> names_of(const std::vector<int>& dimensions) const;
  std::string name_of(int variable) const;
  void verify(int variable, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count) const;

  std::string shown_name_;
  std::string path_;  // if open for writing
  bool writing_;
  int id_ = -1;
  DataSums* sums_ = nullptr;
  std::shared_ptr<const Reading> reading_;  // null if the file is open for writing, or in memory
};

}  // namespace kalaba
