#include <cstdint>
#include <optional>
#include <utility>

#include "output/durable/pending_file.hpp"
#include "output/netcdf/array_dataset.hpp"
#include "output/netcdf/dataset_numbers.hpp"
#include "output/netcdf/netcdf_file.hpp"
#include "output/netcdf/seal.hpp"

namespace kalaba {
namespace {

class ArraySink final : public Sink, public ReducedSink {
 public:
  ArraySink(std::shared_ptr<ArrayDataset> dataset, Provenance provenance)
      : dataset_(std::move(dataset)), provenance_(std::move(provenance)) {}

  void begin(const RunInfo& run) override {
    numbers_.emplace(run);
    variables_ = write_schema(*dataset_, run, provenance_);
    numbers_->attach(*dataset_, variables_);
  }

  void begin_block(const Block& block) override { numbers_->begin_block(block); }
  void begin_motion(const Block& block) override { numbers_->begin_motion(block); }
  void write(const Frame& frame) override { numbers_->write(frame); }
  const StatisticsPlan* reduced_plan() const override { return numbers_->reduced_plan(); }
  void write_reduced(ReducedFrame frame) override { numbers_->write_reduced(std::move(frame)); }
  void end_block(const Block& block) override { numbers_->end_block(block); }
  void finish(const Summary& summary) override { numbers_->finish(summary); }

 private:
  std::shared_ptr<ArrayDataset> dataset_;
  Provenance provenance_;
  NetcdfVariables variables_;
  std::optional<DatasetNumbers> numbers_;
};

void write_attribute(NetcdfFile& file, int variable, const ArrayDataset::Attribute& attribute) {
  const auto& [name, value, type] = attribute;
  if (const auto* text = std::get_if<std::string>(&value)) return file.set_text(variable, name, *text);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) return file.set_texts(variable, name, *texts);
  if (const auto* number = std::get_if<double>(&value)) return file.set_number(variable, name, *number);
  if (const auto* whole = std::get_if<unsigned long long>(&value)) return file.set_unsigned(variable, name, *whole);
  file.set_integers(variable, name, std::get<std::vector<long long>>(value), type);
}

void write_numbers(NetcdfFile& file, int variable, const ArrayDataset::Array& array) {
  const std::vector<std::size_t> start(array.shape.size(), 0);
  if (array.type == NC_STRING) return file.put_strings(variable, array.texts);
  if (array.type == NC_INT) return file.put(variable, start, array.shape, static_cast<const int*>(array.numbers.get()));
  if (array.type == NC_DOUBLE) {
    return file.put(variable, start, array.shape, static_cast<const double*>(array.numbers.get()));
  }
  const auto* const whole = static_cast<const std::int64_t*>(array.numbers.get());
  const std::vector<double> numbers(whole, whole + array.size());  // counts of members, exact in double
  file.put(variable, start, array.shape, numbers.data());
}

int define(NetcdfFile& file, const ArrayDataset::Array& array) {
  const int variable = file.add_variable(array.name, array.type, array.dimensions);
  if (array.fills_nan) file.set_fill_nan(variable);
  if (!array.is_filled) file.set_no_fill(variable);
  for (const ArrayDataset::Attribute& each : array.attributes) write_attribute(file, variable, each);
  return variable;
}

/// Returns true if the dimension belongs to a variable of bytes, which put_bytes adds with its dimension.
bool is_of_bytes(const ArrayDataset& dataset, const std::string& dimension) {
  if (!dimension.ends_with("_bytes")) return false;
  const ArrayDataset::Array* const array = dataset.find(dimension.substr(0, dimension.size() - 6));
  return array != nullptr && array->type == NC_UBYTE;
}

}  // namespace

std::unique_ptr<Sink> make_array_sink(std::shared_ptr<ArrayDataset> dataset, const Provenance& provenance) {
  return std::make_unique<ArraySink>(std::move(dataset), provenance);
}

void write_netcdf(const ArrayDataset& dataset, const std::string& path) {
  check_netcdf_name(path);
  PendingFile pending(path, partial_path(path));
  NetcdfFile file = NetcdfFile::create(pending.temporary_path(), path);
  for (const auto& [name, size] : dataset.dimensions()) {
    if (!is_of_bytes(dataset, name)) file.add_dimension(name, size);  // put_bytes adds the others
  }
  DataSums sums;
  file.sum_into(sums);
  for (const ArrayDataset::Array& array : dataset.arrays()) {
    if (array.type == NC_UBYTE) {
      file.put_bytes(array.name, {static_cast<const char*>(array.numbers.get()), array.size()});
      continue;
    }
    const int variable = define(file, array);
    if (!array.is_filled) file.add_to(sums, variable);
    write_numbers(file, variable, array);
  }
  for (const ArrayDataset::Attribute& each : dataset.attributes()) write_attribute(file, NC_GLOBAL, each);
  file.close();
  sums.settle();
  sums.locate(pending.temporary_path());
  Seal::put(pending, sums);
  pending.publish_as(path);
}

}  // namespace kalaba
