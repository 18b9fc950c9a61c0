#include "output/netcdf_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "kalaba/error.hpp"

namespace kalaba {
namespace {

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

std::vector<std::string> texts_of(const std::vector<char*>& pointers) {
  std::vector<std::string> texts;
  for (const char* pointer : pointers) texts.emplace_back(pointer == nullptr ? "" : pointer);
  return texts;
}

/// What the system says of the disk; the library itself says only "HDF error".
std::string disk_trouble() {
  const bool told = errno == ENOSPC || errno == EFBIG || errno == EDQUOT || errno == EIO;
  return told ? fmt::format(" ({})", std::strerror(errno)) : "";
}

/// Keeps HDF5 from ending unfinished files at exit, see ~NetcdfFile.
void start_library() { [[maybe_unused]] static const herr_t once = H5dont_atexit(); }

}  // namespace

/// A file open for reading, closed with its last reader.
struct NetcdfFile::Reading {
  int id;
  explicit Reading(int opened) : id(opened) {}
  ~Reading() { nc_close(id); }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
};

NetcdfFile NetcdfFile::create(const std::string& path, const std::string& shown_name) {
  start_library();
  NetcdfFile file(shown_name, true);
  int id = -1;
  file.check(nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER, &id), "creating the file");
  file.id_ = id;
  return file;
}

NetcdfFile NetcdfFile::reopen(const std::string& path, const std::string& shown_name) {
  start_library();
  NetcdfFile file(shown_name, true);
  int id = -1;
  file.check(nc_open(path.c_str(), NC_WRITE, &id), "opening the file");
  file.id_ = id;
  return file;
}

NetcdfFile NetcdfFile::create_in_memory(const std::string& shown_name) {
  start_library();
  NetcdfFile file(shown_name, false);
  int id = -1;
  file.check(nc_create("in_memory.nc", NC_NETCDF4 | NC_DISKLESS, &id), "laying out the file");
  file.id_ = id;
  return file;
}

NetcdfFile NetcdfFile::open(const std::string& path) {
  start_library();
  NetcdfFile file(path, false);
  // HDF5 1.10 crashes on a file with texts that is open more than once: all readers share one.
  static std::mutex mutex;
  static std::map<std::pair<dev_t, ino_t>, std::weak_ptr<const Reading>> open_files;
  const std::lock_guard lock(mutex);
  struct stat there = {};
  std::weak_ptr<const Reading> unknown;
  const bool is_known = ::stat(path.c_str(), &there) == 0;
  std::weak_ptr<const Reading>& known = is_known ? open_files[{there.st_dev, there.st_ino}] : unknown;
  file.reading_ = known.lock();
  if (!file.reading_) {
    int id = -1;
    file.check(nc_open(path.c_str(), NC_NOWRITE, &id), "opening the file");
    file.reading_ = std::make_shared<const Reading>(id);
    known = file.reading_;
  }
  file.id_ = file.reading_->id;
  return file;
}

NetcdfFile::~NetcdfFile() {
  // Unfinished writing is left to the end of the process: what the library does to end it may fail (a full disk), and
  // then crashes.
  if (id_ >= 0 && !writing_ && !reading_) nc_close(id_);
}

NetcdfFile::NetcdfFile(NetcdfFile&& other) noexcept
    : shown_name_(std::move(other.shown_name_)),
      writing_(other.writing_),
      id_(std::exchange(other.id_, -1)),
      reading_(std::move(other.reading_)) {}

NetcdfFile& NetcdfFile::operator=(NetcdfFile&& other) noexcept {
  std::swap(shown_name_, other.shown_name_);
  std::swap(writing_, other.writing_);
  std::swap(id_, other.id_);
  std::swap(reading_, other.reading_);
  return *this;
}

void NetcdfFile::close() { check(nc_close(std::exchange(id_, -1)), "closing the file"); }

void NetcdfFile::check(int status, std::string_view doing) const {
  if (status == NC_NOERR) {
    errno = 0;  // so that it speaks of the call that fails
    return;
  }
  throw Error(ExitCode::file_error,
              fmt::format("{}: {}: {}{}", shown_name_, doing, nc_strerror(status), disk_trouble()));
}

int NetcdfFile::add_dimension(const std::string& name, std::size_t size) {
  int dimension = -1;
  check(nc_def_dim(id_, name.c_str(), size, &dimension), "defining the dimension " + name);
  return dimension;
}

int NetcdfFile::add_variable(const std::string& name, nc_type type, const std::vector<int>& dimensions) {
  int variable = -1;
  check(nc_def_var(id_, name.c_str(), type, static_cast<int>(dimensions.size()), dimensions.data(), &variable),
        "defining the variable " + name);
  return variable;
}

void NetcdfFile::set_no_fill(int variable) {
  check(nc_def_var_chunking(id_, variable, NC_CONTIGUOUS, nullptr), "setting the storage");
  check(nc_def_var_fill(id_, variable, NC_NOFILL, nullptr), "setting the fill value");
}

void NetcdfFile::flush() { check(nc_sync(id_), "writing"); }

void NetcdfFile::set_fill_nan(int variable) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  check(nc_def_var_fill(id_, variable, NC_FILL, &nan), "setting the fill value");
}

void NetcdfFile::set_text(int variable, const std::string& name, const std::string& text) {
  check(nc_put_att_text(id_, variable, name.c_str(), text.size(), text.data()), "writing the attribute " + name);
}

void NetcdfFile::set_texts(int variable, const std::string& name, const std::vector<std::string>& texts) {
  auto pointers = pointers_to(texts);
  check(nc_put_att_string(id_, variable, name.c_str(), pointers.size(), pointers.data()),
        "writing the attribute " + name);
}

void NetcdfFile::set_number(int variable, const std::string& name, double value) {
  check(nc_put_att_double(id_, variable, name.c_str(), NC_DOUBLE, 1, &value), "writing the attribute " + name);
}

void NetcdfFile::set_integers(int variable, const std::string& name, const std::vector<long long>& values,
                              nc_type type) {
  check(nc_put_att_longlong(id_, variable, name.c_str(), type, values.size(), values.data()),
        "writing the attribute " + name);
}

void NetcdfFile::set_unsigned(int variable, const std::string& name, unsigned long long value) {
  check(nc_put_att_ulonglong(id_, variable, name.c_str(), NC_UINT64, 1, &value), "writing the attribute " + name);
}

void NetcdfFile::put(int variable, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count,
                     const double* values) {
  check(nc_put_vara_double(id_, variable, start.data(), count.data(), values), "writing");
}

void NetcdfFile::put(int variable, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count,
                     const int* values) {
  check(nc_put_vara_int(id_, variable, start.data(), count.data(), values), "writing");
}

void NetcdfFile::put_strings(int variable, const std::vector<std::string>& texts) {
  auto pointers = pointers_to(texts);
  check(nc_put_var_string(id_, variable, pointers.data()), "writing");
}

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

std::vector<std::string> NetcdfFile::attribute_names() const {
  int count = 0;
  check(nc_inq_natts(id_, &count), "counting the attributes");
  std::vector<std::string> names;
  char name[NC_MAX_NAME + 1];
  for (int i = 0; i < count; ++i) {
    check(nc_inq_attname(id_, NC_GLOBAL, i, name), "listing the attributes");
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

void NetcdfFile::put_bytes(const std::string& name, const std::string& bytes) {
  const int variable = add_variable(name, NC_UBYTE, {add_dimension(name + "_bytes", bytes.size())});
  check(nc_put_var(id_, variable, bytes.data()), "writing the variable " + name);
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
  check(nc_inq_varid(id_, name.c_str(), &variable), "looking for the variable " + name);
  return variable;
}

bool NetcdfFile::has_dimension(const std::string& name) const {
  int dimension = -1;
  return nc_inq_dimid(id_, name.c_str(), &dimension) == NC_NOERR;
}

std::size_t NetcdfFile::dimension_size(const std::string& name) const {
  int dimension = -1;
  check(nc_inq_dimid(id_, name.c_str(), &dimension), "looking for the dimension " + name);
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

std::vector<std::string> NetcdfFile::texts(const std::string& name) const {
  std::size_t size = 0;
  check(nc_inq_attlen(id_, NC_GLOBAL, name.c_str(), &size), "reading the attribute " + name);
  std::vector<char*> pointers(size);
  check(nc_get_att_string(id_, NC_GLOBAL, name.c_str(), pointers.data()), "reading the attribute " + name);
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

void NetcdfFile::get(int variable, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count,
                     double* values) const {
  check(nc_get_vara_double(id_, variable, start.data(), count.data(), values), "reading");
}

}  // namespace kalaba
