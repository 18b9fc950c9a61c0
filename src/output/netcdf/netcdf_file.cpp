#include "output/netcdf/netcdf_file.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "kalaba/error.hpp"
#include "output/durable/pending_file.hpp"
#include "output/netcdf/file_holder.hpp"

namespace kalaba {
namespace {

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

/// What the system says of the disk; the library itself says only "HDF error".
std::string disk_trouble() {
  const bool told = errno == ENOSPC || errno == EFBIG || errno == EDQUOT || errno == EIO;
  return told ? fmt::format(" ({})", std::strerror(errno)) : "";
}

/// That somebody else has the file open, in words; "" where nobody does.
std::string held_text(const std::string& path, bool for_writing) {
  const std::string holder = file_holder(path, for_writing);
  return holder.empty() ? "" : fmt::format("is held open by {}: close it there first", holder);
}

/// Throws where a file that is to be written cannot be opened because somebody else has it open.
void refuse_held(int status, const std::string& path, const std::string& shown_name) {
  const std::string held = status == NC_NOERR ? "" : held_text(path, true);
  if (held.empty()) return;
  const std::string of = path == shown_name ? "" : fmt::format(" ({})", path);
  throw Error(ExitCode::file_error, fmt::format("{}{}: {}", shown_name, of, held));
}

/// Why a file cannot be opened, in place of the library's "Unknown file format" and "HDF error"; "" where it says more.
std::string opening_trouble(const std::string& path) {
  if (const std::string held = held_text(path, false); !held.empty()) return held;
  std::array<char, 8> bytes = {};
  std::ifstream file(path, std::ios::binary);
  if (!file) return "";  // the system's reason is the better one
  file.read(bytes.data(), bytes.size());
  const std::string_view head(bytes.data(), static_cast<std::size_t>(file.gcount()));
  if (final_path(path) != path) return "is unfinished: its run was killed, or is still laying it out";
  if (head.empty()) return "is empty, expected a netCDF file";
  if (head != "\x89HDF\r\n\x1a\n" && !head.starts_with("CDF")) return "is no netCDF file";
  return "is damaged or cut off: the netCDF library cannot open it";
}

/// Keeps HDF5 from ending unfinished files at exit, see ~NetcdfFile; and from printing a page for each attribute that
/// netCDF asks for in vain, which netCDF has it do in the first thread alone.
void start_library() {
  [[maybe_unused]] static const herr_t once = H5dont_atexit();
  [[maybe_unused]] thread_local const herr_t in_each_thread = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

}  // namespace

void check_netcdf_name(const std::string& path) {
  if (path.find('\\') == std::string::npos) return;
  throw Error(ExitCode::file_error,
              fmt::format("{}: expected a name without a backslash, which the netCDF library takes for a slash", path));
}

/// A file open for reading, closed with its last reader.
struct NetcdfFile::Reading {
  int id;
  explicit Reading(int opened) : id(opened) {}
  ~Reading() { nc_close(id); }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
};

NetcdfFile NetcdfFile::create(const std::string& path, const std::string& shown_name) {
  check_netcdf_name(path);
  start_library();
  NetcdfFile file(shown_name, true);
  int id = -1;
  const int status = nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER, &id);
  refuse_held(status, path, shown_name);
  file.check(status, "creating the file");
  file.id_ = id;
  return file;
}

NetcdfFile NetcdfFile::reopen(const std::string& path, const std::string& shown_name) {
  start_library();
  NetcdfFile file(shown_name, true);
  int id = -1;
  const int status = nc_open(path.c_str(), NC_WRITE, &id);
  refuse_held(status, path, shown_name);
  file.check(status, "opening the file");
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
  check_netcdf_name(path);
  start_library();
  NetcdfFile file(path, false);
  // HDF5 1.10 crashes on a file with texts that is open more than once: all readers share one.
  static std::mutex mutex;
  static std::map<std::pair<dev_t, ino_t>, std::weak_ptr<const Reading>> open_files;
  const std::lock_guard lock(mutex);
  struct stat there = {};
  std::weak_ptr<const Reading> unknown;
  const bool is_known = ::stat(path.c_str(), &there) == 0;
  if (!is_known && errno == ENOENT) throw Error(ExitCode::file_error, path + ": there is no such file");
  std::weak_ptr<const Reading>& known = is_known ? open_files[{there.st_dev, there.st_ino}] : unknown;
  file.reading_ = known.lock();
  if (!file.reading_) {
    int id = -1;
    const int status = nc_open(path.c_str(), NC_NOWRITE, &id);
    const std::string trouble = status == NC_NOERR ? "" : opening_trouble(path);
    if (!trouble.empty()) throw Error(ExitCode::file_error, fmt::format("{}: {}", path, trouble));
    file.check(status, "opening the file");
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

void NetcdfFile::set_silent_fill(int variable, int value) {
  check(nc_def_var_fill(id_, variable, NC_FILL, &value), "setting the fill value");
  check(nc_enddef(id_), "setting the fill value");
  check(nc_del_att(id_, variable, "_FillValue"), "setting the fill value");
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

void NetcdfFile::put_bytes(const std::string& name, const std::string& bytes) {
  const int variable = add_variable(name, NC_UBYTE, {add_dimension(name + "_bytes", bytes.size())});
  check(nc_put_var(id_, variable, bytes.data()), "writing the variable " + name);
}

}  // namespace kalaba
