// The numbers of a run: arrays in memory, which NumPy sees without a copy, and files.

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>

#include "bindings.hpp"
#include "kalaba/error.hpp"
#include "output/csv/csv_import.hpp"
#include "output/netcdf/finished.hpp"
#include "report/data/sobol_indices.hpp"

namespace kalaba::python {
namespace {

using Array = ArrayDataset::Array;

/// A view of the array's numbers, which it keeps alive.
template <class Number>
nb::object view_of(const Array& array) {
  auto* const owner = new std::shared_ptr<void>(array.numbers);
  const nb::capsule keeper(owner, [](void* kept) noexcept { delete static_cast<std::shared_ptr<void>*>(kept); });
  return nb::cast(nb::ndarray<nb::numpy, Number>(array.numbers.get(), array.shape.size(), array.shape.data(), keeper));
}

nb::object numbers_of(const Array& array) {
  if (array.type == NC_STRING) return nb::cast(array.texts);
  if (array.type == NC_INT) return view_of<std::int32_t>(array);
  if (array.type == NC_INT64) return view_of<std::int64_t>(array);
  if (array.type == NC_UBYTE) return view_of<std::uint8_t>(array);
  return view_of<double>(array);
}

/// A list of one as that one, as netCDF's readers have it.
nb::object python_value(const AttributeValue& value) {
  if (const auto* whole = std::get_if<std::vector<long long>>(&value); whole != nullptr && whole->size() == 1) {
    return nb::cast(whole->front());
  }
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value); texts != nullptr && texts->size() == 1) {
    return nb::cast(texts->front());
  }
  return std::visit([](const auto& each) { return nb::cast(each); }, value);
}

nb::dict attributes_of(const std::vector<ArrayDataset::Attribute>& attributes) {
  nb::dict result;
  for (const ArrayDataset::Attribute& each : attributes) result[each.name.c_str()] = python_value(each.value);
  return result;
}

const char* kind_of(nc_type type) {
  if (type == NC_STRING) return "text";
  if (type == NC_DOUBLE) return "float64";
  if (type == NC_INT) return "int32";
  return type == NC_UBYTE ? "uint8" : "int64";
}

/// NAME -> (dimensions, shape, type, attributes)
nb::dict variables_of(const ArrayDataset& dataset) {
  nb::dict result;
  for (const Array& array : dataset.arrays()) {
    std::vector<std::string> names;
    for (const int each : array.dimensions) names.push_back(dataset.dimensions()[static_cast<std::size_t>(each)].first);
    result[array.name.c_str()] =
        nb::make_tuple(names, array.shape, kind_of(array.type), attributes_of(array.attributes));
  }
  return result;
}

const Array& array_of(const ArrayDataset& dataset, const std::string& name) {
  const Array* const array = dataset.find(name);
  if (array == nullptr) throw nb::key_error(name.c_str());
  return *array;
}

/// A file whose numbers are read on access. It is open only during a read, so that a run can continue it.
class DatasetFile {
 public:
  explicit DatasetFile(const std::string& path) : path_(std::filesystem::absolute(path).string()) {
    const nb::gil_scoped_release no_gil;
    const std::lock_guard lock(netcdf_mutex());
    const NetcdfFile file = NetcdfFile::open(path);
    require_finished(file, path);
    written_ = time_of_writing();
    layout_.emplace(layout_of(file));
  }

  const ArrayDataset& layout() const { return *layout_; }

  nb::object read(const std::string& name, const std::vector<std::size_t>& start,
                  const std::vector<std::size_t>& count) const {
    const Array& array = array_of(*layout_, name);
    if (array.type == NC_STRING) return nb::cast(texts(name));
    check_range(array, start, count);
    std::vector<double> numbers(std::accumulate(count.begin(), count.end(), std::size_t{1}, std::multiplies()));
    if (!numbers.empty()) {
      const nb::gil_scoped_release no_gil;
      const std::lock_guard lock(netcdf_mutex());
      const NetcdfFile file = open_again();
      file.get(file.variable(name), start, count, numbers.data());
    }
    return numpy_of(std::move(numbers), count);
  }

 private:
  std::vector<std::string> texts(const std::string& name) const {
    const nb::gil_scoped_release no_gil;
    const std::lock_guard lock(netcdf_mutex());
    const NetcdfFile file = open_again();
    return file.get_strings(file.variable(name));
  }

  std::filesystem::file_time_type time_of_writing() const {
    std::error_code ignored;  // opening it says what is wrong
    return std::filesystem::last_write_time(path_, ignored);
  }

  NetcdfFile open_again() const {
    NetcdfFile file = NetcdfFile::open(path_);
    if (time_of_writing() != written_) {
      throw Error(ExitCode::file_error,
                  path_ + ": was written anew since it was opened; kalaba.open reads what it holds now");
    }
    return file;
  }

  static void check_range(const Array& array, const std::vector<std::size_t>& start,
                          const std::vector<std::size_t>& count) {
    bool fits = start.size() == array.shape.size() && count.size() == array.shape.size();
    for (std::size_t i = 0; fits && i < start.size(); ++i) {
      fits = start[i] <= array.shape[i] && count[i] <= array.shape[i] - start[i];
    }
    if (!fits) throw nb::index_error((array.name + ": out of its shape").c_str());
  }

  std::string path_;
  std::filesystem::file_time_type written_;
  std::optional<ArrayDataset> layout_;
};

/// All of an array but its numbers, and these.
nb::tuple state_of(const ArrayDataset& dataset) {
  const auto attributes = [](const std::vector<ArrayDataset::Attribute>& all) {
    nb::list list;
    for (const ArrayDataset::Attribute& each : all) {
      const nb::object value = std::visit([](const auto& content) { return nb::cast(content); }, each.value);
      list.append(nb::make_tuple(each.name, each.value.index(), value, each.type));
    }
    return list;
  };
  nb::list arrays;
  for (const Array& each : dataset.arrays()) {
    arrays.append(nb::make_tuple(each.name, each.type, each.dimensions, numbers_of(each), each.fills_nan,
                                 each.is_filled, attributes(each.attributes)));
  }
  return nb::make_tuple(dataset.dimensions(), arrays, attributes(dataset.attributes()));
}

void restore_attributes(ArrayDataset& dataset, int variable, const nb::handle& attributes) {
  for (const nb::handle each : attributes) {
    const auto name = nb::cast<std::string>(each[0]);
    const nb::object value = each[2];
    switch (nb::cast<int>(each[1])) {
      case 0:
        dataset.set_text(variable, name, nb::cast<std::string>(value));
        break;
      case 1:
        dataset.set_texts(variable, name, nb::cast<std::vector<std::string>>(value));
        break;
      case 2:
        dataset.set_number(variable, name, nb::cast<double>(value));
        break;
      case 3:
        dataset.set_integers(variable, name, nb::cast<std::vector<long long>>(value), nb::cast<nc_type>(each[3]));
        break;
      default:
        dataset.set_unsigned(variable, name, nb::cast<unsigned long long>(value));
    }
  }
}

void restore(ArrayDataset* self, const nb::tuple& state) {
  ArrayDataset& dataset = *new (self) ArrayDataset();
  for (const nb::handle each : state[0]) {
    dataset.add_dimension(nb::cast<std::string>(each[0]), nb::cast<std::size_t>(each[1]));
  }
  for (const nb::handle each : state[1]) {
    const auto type = nb::cast<nc_type>(each[1]);
    const int variable =
        dataset.add_variable(nb::cast<std::string>(each[0]), type, nb::cast<std::vector<int>>(each[2]));
    if (nb::cast<bool>(each[4])) dataset.set_fill_nan(variable);
    if (!nb::cast<bool>(each[5])) dataset.set_no_fill(variable);
    restore_attributes(dataset, variable, each[6]);
    if (type == NC_STRING) {
      dataset.put_strings(variable, nb::cast<std::vector<std::string>>(each[3]));
      continue;
    }
    const auto numbers = nb::cast<nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>>(each[3]);
    const Array& array = dataset.arrays().back();
    if (numbers.size() != array.size()) throw nb::value_error("an array of another size than it had");
    std::memcpy(array.numbers.get(), numbers.data(), numbers.nbytes());
  }
  restore_attributes(dataset, NC_GLOBAL, state[2]);
}

ArrayDataset load_file(const std::string& path) {
  const nb::gil_scoped_release no_gil;
  const std::lock_guard lock(netcdf_mutex());
  const NetcdfFile file = NetcdfFile::open(path);
  require_finished(file, path);
  return read_dataset(file);
}

/// Writes the CSV tables of a run as a netCDF file; returns what they do not contain.
std::string import_tables(const std::string& path, const std::string& netcdf_path) {
  const nb::gil_scoped_release no_gil;
  const std::lock_guard lock(netcdf_mutex());
  return import_csv(path, netcdf_path).absent;
}

void write_file(const ArrayDataset& dataset, const std::string& path) {
  const nb::gil_scoped_release no_gil;
  const std::lock_guard lock(netcdf_mutex());
  write_netcdf(dataset, path);
}

SobolIndices indices_of(const Column& values, std::size_t inputs) {
  return sobol_indices({values.data(), values.size()}, inputs);
}

/// First-order or total indices, one number an input.
template <auto order, auto number>
std::vector<double> numbers_of_indices(const SobolIndices& indices) {
  std::vector<double> numbers;
  for (const SobolIndex& each : indices.*order) numbers.push_back(each.*number);
  return numbers;
}

void bind_sobol(nb::module_& module) {
  nb::class_<SobolIndices>(module, "SobolIndices")
      .def_ro("points", &SobolIndices::points)
      .def_ro("left_out", &SobolIndices::left_out)
      .def_prop_ro("first", numbers_of_indices<&SobolIndices::first, &SobolIndex::share>)
      .def_prop_ro("first_error", numbers_of_indices<&SobolIndices::first, &SobolIndex::error>)
      .def_prop_ro("total", numbers_of_indices<&SobolIndices::total, &SobolIndex::share>)
      .def_prop_ro("total_error", numbers_of_indices<&SobolIndices::total, &SobolIndex::error>);
  module.def("sobol_indices", indices_of);
}

}  // namespace

std::mutex& netcdf_mutex() {
  static std::mutex mutex;
  return mutex;
}

nb::object numpy_of(std::vector<double> numbers, std::vector<std::size_t> shape) {
  auto* const owner = new std::vector<double>(std::move(numbers));
  const nb::capsule keeper(owner, [](void* kept) noexcept { delete static_cast<std::vector<double>*>(kept); });
  return nb::cast(nb::ndarray<nb::numpy, double>(owner->data(), shape.size(), shape.data(), keeper));
}

void bind_dataset(nb::module_& module) {
  nb::class_<ArrayDataset>(module, "ArrayDataset")
      .def_prop_ro("dimensions", [](const ArrayDataset& dataset) { return dataset.dimensions(); })
      .def_prop_ro("variables", variables_of)
      .def_prop_ro("attributes", [](const ArrayDataset& dataset) { return attributes_of(dataset.attributes()); })
      .def("array",
           [](const ArrayDataset& dataset, const std::string& name) { return numbers_of(array_of(dataset, name)); })
      .def("write", write_file)
      .def("__getstate__", state_of)
      .def("__setstate__", restore);
  bind_sobol(module);
  module.def("load", load_file);
  module.def("import_csv", import_tables);
  nb::class_<DatasetFile>(module, "DatasetFile")
      .def(nb::init<std::string>())
      .def_prop_ro("dimensions", [](const DatasetFile& file) { return file.layout().dimensions(); })
      .def_prop_ro("variables", [](const DatasetFile& file) { return variables_of(file.layout()); })
      .def_prop_ro("attributes", [](const DatasetFile& file) { return attributes_of(file.layout().attributes()); })
      .def("read", &DatasetFile::read);
}

}  // namespace kalaba::python
