// Queries of a netCDF file, see netcdf_file.hpp.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "output/netcdf/netcdf_file.hpp"

namespace kalaba {
namespace {

std::vector<std::string> texts_of(const std::vector<char*>& pointers) {
  std::vector<std::string> texts;
  for (const char* pointer : pointers) texts.emplace_back(pointer == nullptr ? "" : pointer);
  return texts;
}

}  // namespace

std::vector<std::string> NetcdfFile::dimension_names() const {
  int count = 0;
  check(nc_inq_ndims(id_, &count), "counting the dimensions");
  std::vector<int> ids(static_cast<std::size_t>(count));
  check(nc_inq_dimids(id_, &count, ids.data(), 0), "listing the dimensions");
  return names_of(ids);
}

std::vector<std::string> NetcdfFile::dimension_names(int variable) const { return names_of(dimensions_of(variable)); }

std::vector<std::string> NetcdfFile::variable_names() const {
  int count = 0;
  check(nc_inq_nvars(id_, &count), "counting the variables");
  std::vector<std::string> names;
  char name[NC_MAX_NAME + 1];
  for (int i = 0; i < count; ++i) {
    check(nc_inq_varname(id_, i, name), "listing the variables");
    names.emplace_back(name);
  }
  return names;
}

std::vector<std::string> NetcdfFile::attribute_names(int variable) const {
  int count = 0;
  check(nc_inq_varnatts(id_, variable, &count), "counting the attributes");
  std::vector<std::string> names;
  char name[NC_MAX_NAME + 1];
  for (int i = 0; i < count; ++i) {
    check(nc_inq_attname(id_, variable, i, name), "listing the attributes");
    names.emplace_back(name);
  }
  return names;
}

nc_type NetcdfFile::type(int variable) const {
  nc_type type = NC_NAT;
  check(nc_inq_vartype(id_, variable, &type), "reading a variable's type");
  return type;
}

std::string NetcdfFile::attribute(int variable, const std::string& name) const {
  const std::string doing = "reading the attribute " + name;
  nc_type type = NC_NAT;
  std::size_t size = 0;
  if (nc_inq_att(id_, variable, name.c_str(), &type, &size) != NC_NOERR || size == 0) return "";
  if (type == NC_CHAR) {
    std::string text(size, ' ');
    check(nc_get_att_text(id_, variable, name.c_str(), text.data()), doing);
    return text;
  }
  if (type == NC_STRING) {
    std::vector<char*> pointers(size);
    check(nc_get_att_string(id_, variable, name.c_str(), pointers.data()), doing);
    std::vector<std::string> texts = texts_of(pointers);
    check(nc_free_string(size, pointers.data()), doing);
    return fmt::format("{}", fmt::join(texts, ", "));
  }
  if (type == NC_UINT64) {
    std::vector<unsigned long long> values(size);
    check(nc_get_att_ulonglong(id_, variable, name.c_str(), values.data()), doing);
    return fmt::format("{}", fmt::join(values, ", "));
  }
  if (type == NC_DOUBLE || type == NC_FLOAT) {
    std::vector<double> values(size);
    check(nc_get_att_double(id_, variable, name.c_str(), values.data()), doing);
    return fmt::format("{}", fmt::join(values, ", "));
  }
  std::vector<long long> values(size);
  check(nc_get_att_longlong(id_, variable, name.c_str(), values.data()), doing);
  return fmt::format("{}", fmt::join(values, ", "));
}

AttributeValue NetcdfFile::attribute_value(int variable, const std::string& name) const {
  const std::string doing = "reading the attribute " + name;
  nc_type type = NC_NAT;
  std::size_t size = 0;
  check(nc_inq_att(id_, variable, name.c_str(), &type, &size), doing);
  if (type == NC_CHAR) return attribute(variable, name);
  if (type == NC_STRING) return texts(name, variable);
  if (type == NC_UINT64 && size == 1) {
    unsigned long long value = 0;
    check(nc_get_att_ulonglong(id_, variable, name.c_str(), &value), doing);
    return value;
  }
  if (type == NC_DOUBLE && size == 1) {
    double value = 0;
    check(nc_get_att_double(id_, variable, name.c_str(), &value), doing);
    return value;
  }
  std::vector<long long> values(size);
  check(nc_get_att_longlong(id_, variable, name.c_str(), values.data()), doing);
  return values;
}

std::string NetcdfFile::get_bytes(const std::string& name) const {
  std::string bytes(dimension_size(name + "_bytes"), '\0');
  check(nc_get_var(id_, variable(name), bytes.data()), "reading the variable " + name);
  return bytes;
}

bool NetcdfFile::has_variable(const std::string& name) const {
  int variable = -1;
  return nc_inq_varid(id_, name.c_str(), &variable) == NC_NOERR;
}

int NetcdfFile::variable(const std::string& name) const {
  int variable = -1;
  check(nc_inq_varid(id_, name.c_str(), &variable), "finding the variable " + name);
  return variable;
}

bool NetcdfFile::has_dimension(const std::string& name) const {
  int dimension = -1;
  return nc_inq_dimid(id_, name.c_str(), &dimension) == NC_NOERR;
}

std::size_t NetcdfFile::dimension_size(const std::string& name) const {
  int dimension = -1;
  check(nc_inq_dimid(id_, name.c_str(), &dimension), "finding the dimension " + name);
  std::size_t size = 0;
  check(nc_inq_dimlen(id_, dimension, &size), "reading the dimension " + name);
  return size;
}

std::vector<int> NetcdfFile::dimensions_of(int variable) const {
  int count = 0;
  check(nc_inq_varndims(id_, variable, &count), "reading a variable's shape");
  std::vector<int> dimensions(static_cast<std::size_t>(count));
  check(nc_inq_vardimid(id_, variable, dimensions.data()), "reading a variable's shape");
  return dimensions;
}

std::vector<std::string> NetcdfFile::names_of(const std::vector<int>& dimensions) const {
  std::vector<std::string> names;
  char name[NC_MAX_NAME + 1];
  for (const int dimension : dimensions) {
    check(nc_inq_dimname(id_, dimension, name), "reading a dimension's name");
    names.emplace_back(name);
  }
  return names;
}

double NetcdfFile::number(const std::string& name) const {
  double value = 0;
  std::size_t size = 0;
  check(nc_inq_attlen(id_, NC_GLOBAL, name.c_str(), &size), "reading the attribute " + name);
  check(size == 1 ? nc_get_att_double(id_, NC_GLOBAL, name.c_str(), &value) : NC_EBADTYPE,
        "reading the attribute " + name);
  return value;
}

std::vector<std::string> NetcdfFile::texts(const std::string& name, int variable) const {
  std::size_t size = 0;
  check(nc_inq_attlen(id_, variable, name.c_str(), &size), "reading the attribute " + name);
  std::vector<char*> pointers(size);
  check(nc_get_att_string(id_, variable, name.c_str(), pointers.data()), "reading the attribute " + name);
  std::vector<std::string> texts(pointers.begin(), pointers.end());
  check(nc_free_string(size, pointers.data()), "reading the attribute " + name);
  return texts;
}

std::vector<std::size_t> NetcdfFile::shape(int variable) const {
  std::vector<std::size_t> sizes;
  for (const int dimension : dimensions_of(variable)) {
    std::size_t size = 0;
    check(nc_inq_dimlen(id_, dimension, &size), "reading a variable's shape");
    sizes.push_back(size);
  }
  return sizes;
}

std::vector<std::string> NetcdfFile::get_strings(int variable) const {
  std::size_t count = 1;
  for (std::size_t size : shape(variable)) count *= size;
  std::vector<char*> pointers(count);
  check(nc_get_var_string(id_, variable, pointers.data()), "reading names");
  std::vector<std::string> texts = texts_of(pointers);
  check(nc_free_string(count, pointers.data()), "reading names");
  return texts;
}

std::string NetcdfFile::name_of(int variable) const {
  char name[NC_MAX_NAME + 1];
  check(nc_inq_varname(id_, variable, name), "reading a variable's name");
  return name;
}

}  // namespace kalaba
