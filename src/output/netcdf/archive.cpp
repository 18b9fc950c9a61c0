#include "output/netcdf/archive.hpp"

#include <fmt/format.h>

#include "kalaba/error.hpp"
#include "output/base/format.hpp"
#include "output/netcdf/finished.hpp"
#include "output/netcdf/netcdf_file.hpp"
#include "output/netcdf/netcdf_labels.hpp"

namespace kalaba {
namespace {

FileVariable::Type type_of(nc_type type, const std::string& path, const std::string& name) {
  switch (type) {
    case NC_DOUBLE:
    case NC_FLOAT:
      return FileVariable::Type::real;
    case NC_BYTE:
    case NC_UBYTE:
    case NC_SHORT:
    case NC_USHORT:
    case NC_INT:
      return FileVariable::Type::integer;
    case NC_UINT:
    case NC_INT64:
    case NC_UINT64:
      return FileVariable::Type::long_integer;
    case NC_STRING:
      return FileVariable::Type::text;
    default:
      throw Error(
          ExitCode::file_error,
          fmt::format("{}: the variable {} holds neither numbers nor texts: is this a file of kalaba's?", path, name));
  }
}

FileVariable describe(const NetcdfFile& file, const std::string& path, const std::string& name) {
  const int id = file.variable(name);
  FileVariable variable;
  variable.name = name;
  variable.type = type_of(file.type(id), path, name);
  variable.dimensions = file.dimension_names(id);
  variable.shape = file.shape(id);
  variable.unit = file.attribute(id, "units");
  if (variable.unit.empty()) variable.unit = file.attribute(id, "component_units");
  variable.meaning = file.attribute(id, "long_name");
  return variable;
}

}  // namespace

Archive::Archive(const std::string& path, Unfinished unfinished) : path_(path) {
  check_data_file(netcdf_format, path);
  file_ = std::make_unique<NetcdfFile>(NetcdfFile::open(path));
  for (const std::string& name : file_->dimension_names()) {
    inventory_.dimensions.push_back({name, file_->dimension_size(name)});
  }
  for (const char* needed : {"member", "time"}) {
    if (std::ranges::count(inventory_.dimensions, needed, &FileDimension::name) > 0) continue;
    throw Error(ExitCode::file_error,
                fmt::format("{}: expected an output of kalaba run, found a netCDF file without the dimension {}", path,
                            needed));
  }
  unfinished_ = unfinished_reason(*file_, path);
  if (unfinished == Unfinished::refused) require_finished(*file_, path);
  for (const std::string& name : file_->variable_names()) {
    inventory_.variables.push_back(describe(*file_, path, name));
  }
  for (const std::string& name : file_->attribute_names()) {
    inventory_.attributes.push_back({name, file_->attribute(NC_GLOBAL, name)});
  }
}

Archive::~Archive() = default;
Archive::Archive(Archive&&) noexcept = default;

std::vector<double> Archive::numbers(const std::string& variable, const std::vector<std::size_t>& start,
                                     const std::vector<std::size_t>& count) const {
  std::size_t size = 1;
  for (const std::size_t each : count) size *= each;
  std::vector<double> values(size);
  file_->get(file_->variable(variable), start, count, values.data());
  return values;
}

std::vector<std::string> Archive::texts(const std::string& variable) const {
  return file_->get_strings(file_->variable(variable));
}

std::uint64_t Archive::verify() const { return file_->verify_all(); }

SystemInfo Archive::labels() const { return read_labels(*file_, path_); }

std::vector<FieldLayout> Archive::layouts() const { return read_layouts(*file_, path_, labels()); }

}  // namespace kalaba
