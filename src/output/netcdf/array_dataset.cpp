#include "output/netcdf/array_dataset.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

#include "kalaba/error.hpp"
#include "output/durable/disk_space.hpp"

namespace kalaba {
namespace {

std::size_t bytes_of(nc_type type) {
  if (type == NC_UBYTE) return 1;
  return type == NC_INT ? 4 : 8;
}

/// Available memory of the machine in bytes, as Linux estimates it.
double available_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    double kibibytes = 0;
    if (word == "MemAvailable:" && file >> kibibytes) return 1024 * kibibytes;
  }
  return std::numeric_limits<double>::infinity();
}

/// Calls row(offset, from) for every row of the last dimension: its offset among the array's numbers, and among the
/// given ones.
template <class Row>
void for_rows(const std::vector<std::size_t>& shape, const std::vector<std::size_t>& start,
              const std::vector<std::size_t>& count, const Row& row) {
  const std::size_t rank = shape.size();
  const std::size_t rows = std::accumulate(count.begin(), count.end() - 1, std::size_t{1}, std::multiplies());
  for (std::size_t i = 0; i < rows; ++i) {
    std::size_t rest = i;
    std::size_t offset = start[rank - 1];
    std::size_t stride = shape[rank - 1];
    for (std::size_t d = rank - 1; d-- > 0; rest /= count[d]) {
      offset += (start[d] + rest % count[d]) * stride;
      stride *= shape[d];
    }
    row(offset, i * count[rank - 1]);
  }
}

template <class Number>
void put_rows(ArrayDataset::Array& array, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count,
              const Number* values) {
  for_rows(array.shape, start, count, [&](std::size_t offset, std::size_t from) {
    const auto copy = [&](auto* numbers) {
      using Kept = std::remove_pointer_t<decltype(numbers)>;
      std::transform(values + from, values + from + count.back(), numbers + offset,
                     [](Number each) { return static_cast<Kept>(each); });
    };
    if (array.type == NC_DOUBLE) return copy(static_cast<double*>(array.numbers.get()));
    if (array.type == NC_INT) return copy(static_cast<std::int32_t*>(array.numbers.get()));
    copy(static_cast<std::int64_t*>(array.numbers.get()));
  });
}

void set_attribute(DatasetWriter& to, int variable, const std::string& name, const std::string& text) {
  to.set_text(variable, name, text);
}
void set_attribute(DatasetWriter& to, int variable, const std::string& name, const std::vector<std::string>& texts) {
  to.set_texts(variable, name, texts);
}
void set_attribute(DatasetWriter& to, int variable, const std::string& name, double value) {
  to.set_number(variable, name, value);
}
void set_attribute(DatasetWriter& to, int variable, const std::string& name, const std::vector<long long>& values) {
  to.set_integers(variable, name, values, NC_INT64);
}
void set_attribute(DatasetWriter& to, int variable, const std::string& name, unsigned long long value) {
  to.set_unsigned(variable, name, value);
}

}  // namespace

std::size_t ArrayDataset::Array::size() const {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies());
}

void ArrayDataset::allocate(Array& array) {
  constexpr std::size_t alignment = 64;
  double bytes = static_cast<double>(bytes_of(array.type));
  for (const std::size_t size : array.shape) bytes *= static_cast<double>(size);  // may exceed the range of an integer
  bytes_ += bytes;
  const double available = available_bytes();
  void* numbers = nullptr;
  if (bytes_ <= 0.9 * available) {
    numbers = std::aligned_alloc(alignment, (static_cast<std::size_t>(bytes) + alignment) / alignment * alignment);
  }
  if (numbers == nullptr) {
    throw Error(ExitCode::bad_input,
                fmt::format("the result takes more than {} of memory, and {} are free; name a file (out = \"run.nc\"), "
                            "save fewer times or fields, or keep statistics alone (trajectories = false)",
                            bytes_text(bytes_), bytes_text(available)));
  }
  array.numbers = {numbers, std::free};
}

const ArrayDataset::Array* ArrayDataset::find(const std::string& name) const {
  const auto found = std::ranges::find(arrays_, name, &Array::name);
  return found == arrays_.end() ? nullptr : &*found;
}

int ArrayDataset::add_dimension(const std::string& name, std::size_t size) {
  dimensions_.emplace_back(name, size);
  return static_cast<int>(dimensions_.size()) - 1;
}

int ArrayDataset::add_variable(const std::string& name, nc_type type, const std::vector<int>& dimensions) {
  Array array{name, type, dimensions};
  for (const int dimension : dimensions) array.shape.push_back(dimensions_[static_cast<std::size_t>(dimension)].second);
  if (type != NC_STRING && what_ == Holds::numbers) allocate(array);
  arrays_.push_back(std::move(array));
  return static_cast<int>(arrays_.size()) - 1;
}

void ArrayDataset::set_fill_nan(int variable) {
  array(variable).fills_nan = true;
  std::fill_n(static_cast<double*>(array(variable).numbers.get()), array(variable).size(),
              std::numeric_limits<double>::quiet_NaN());
}

void ArrayDataset::set_silent_fill(int variable, int value) {
  std::fill_n(static_cast<std::int32_t*>(array(variable).numbers.get()), array(variable).size(), value);
}

void ArrayDataset::set(int variable, const std::string& name, AttributeValue value, nc_type type) {
  std::vector<Attribute>& attributes = variable == NC_GLOBAL ? attributes_ : array(variable).attributes;
  attributes.push_back({name, std::move(value), type});
}

void ArrayDataset::set_text(int variable, const std::string& name, const std::string& text) {
  set(variable, name, text);
}

void ArrayDataset::set_texts(int variable, const std::string& name, const std::vector<std::string>& texts) {
  set(variable, name, texts);
}

void ArrayDataset::set_number(int variable, const std::string& name, double value) { set(variable, name, value); }

void ArrayDataset::set_integers(int variable, const std::string& name, const std::vector<long long>& values,
                                nc_type type) {
  set(variable, name, values, type);
}

void ArrayDataset::set_unsigned(int variable, const std::string& name, unsigned long long value) {
  set(variable, name, value);
}

void ArrayDataset::put(int variable, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count,
                       const double* values) {
  put_rows(array(variable), start, count, values);
}

void ArrayDataset::put(int variable, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count,
                       const int* values) {
  put_rows(array(variable), start, count, values);
}

void ArrayDataset::put_strings(int variable, const std::vector<std::string>& texts) { array(variable).texts = texts; }

void ArrayDataset::put_bytes(const std::string& name, const std::string& bytes) {
  const int variable = add_variable(name, NC_UBYTE, {add_dimension(name + "_bytes", bytes.size())});
  std::copy(bytes.begin(), bytes.end(), static_cast<char*>(array(variable).numbers.get()));
}

ArrayDataset layout_of(const NetcdfFile& file, ArrayDataset::Holds what) {
  ArrayDataset layout(what);
  std::map<std::string, int> dimensions;
  for (const std::string& name : file.dimension_names()) {
    dimensions[name] = layout.add_dimension(name, file.dimension_size(name));
  }
  const auto copy_attributes = [&](int from, int to) {
    for (const std::string& name : file.attribute_names(from)) {
      if (name == "_FillValue") {
        if (what == ArrayDataset::Holds::numbers && file.type(from) == NC_DOUBLE) layout.set_fill_nan(to);
        continue;
      }
      std::visit([&](const auto& value) { set_attribute(layout, to, name, value); }, file.attribute_value(from, name));
    }
  };
  for (const std::string& name : file.variable_names()) {
    const int id = file.variable(name);
    std::vector<int> ids;
    for (const std::string& each : file.dimension_names(id)) ids.push_back(dimensions.at(each));
    copy_attributes(id, layout.add_variable(name, file.type(id), ids));
  }
  copy_attributes(NC_GLOBAL, NC_GLOBAL);
  return layout;
}

ArrayDataset read_dataset(const NetcdfFile& file) {
  ArrayDataset dataset = layout_of(file, ArrayDataset::Holds::numbers);
  for (std::size_t i = 0; i < dataset.arrays().size(); ++i) {
    const ArrayDataset::Array& array = dataset.arrays()[i];
    const int id = file.variable(array.name);
    const std::vector<std::size_t> start(array.shape.size(), 0);
    if (array.type == NC_STRING) {
      dataset.put_strings(static_cast<int>(i), file.get_strings(id));
    } else if (array.type == NC_DOUBLE) {
      file.get(id, start, array.shape, static_cast<double*>(array.numbers.get()));
    } else if (array.type == NC_UBYTE) {
      std::ranges::copy(file.get_bytes(array.name), static_cast<char*>(array.numbers.get()));
    } else {
      std::vector<double> numbers(array.size());
      file.get(id, start, array.shape, numbers.data());
      dataset.put(static_cast<int>(i), start, array.shape, numbers.data());
    }
  }
  return dataset;
}

}  // namespace kalaba
