#include "output/netcdf/netcdf_file.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <fstream>
#include <sstream>
#include <string>
#include "kalaba/error.hpp"
#include "output/durable/pending_file.hpp"
#include "output/durable/plain_file.hpp"
#include "output/netcdf/data_sums.hpp"
#include "output/netcdf/finished.hpp"
#include "output/netcdf/seal.hpp"

namespace kalaba {
namespace {

/// Process with a lock on the file, from the kernel's list; 0 if unknown. Format of a line: "1: FLOCK ADVISORY WRITE
/// 1234 fd:01:5678 0 EOF", with the file as device numbers and inode.
long locking_process(const struct stat& file) {
  const std::string requested = fmt::format("{:02x}:{:02x}:{}", major(file.st_dev), minor(file.st_dev), file.st_ino);
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, how, access, place;
    long process = 0;
    if (words >> number >> kind >> how >> access >> process >> place && place == requested && process > 0)
      return process;
  }
  return 0;
}

std::string name_of(long process) {
  std::string name;
  std::getline(std::ifstream(fmt::format("/proc/{}/comm", process)), name);
  return name;
}

/// Returns the holder of a lock, as HDF5 sets on its open files, that prevents reading (`for_writing`: writing) this
/// file: "another program (python3, process 1234)"; "" if there is none.
std::string file_holder(const std::string& path, bool for_writing) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return "";
  const bool is_held = ::flock(descriptor, (for_writing ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  struct stat file = {};
  const long process = is_held && ::fstat(descriptor, &file) == 0 ? locking_process(file) : 0;
  ::close(descriptor);
  if (!is_held) return "";
  if (process == 0) return "another program";
  if (process == ::getpid()) return "this process itself";
  const std::string name = name_of(process);
  return name.empty() ? fmt::format("another program (process {})", process)
                      : fmt::format("another program ({}, process {})", name, process);
}

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

/// Converts doubles to the integer type of the file.
template <class Whole>
std::vector<Whole> whole_numbers(const double* values, const std::vector<std::size_t>& count) {
  const std::size_t size = std::accumulate(count.begin(), count.end(), std::size_t{1}, std::multiplies());
  std::vector<Whole> whole(size);
  std::transform(values, values + size, whole.begin(), [](double each) { return static_cast<Whole>(each); });
  return whole;
}

/// Description of a disk error from errno; the library reports only "HDF error".
std::string disk_trouble() {
  const bool is_disk_error = errno == ENOSPC || errno == EFBIG || errno == EDQUOT || errno == EIO;
  return is_disk_error ? fmt::format(" ({})", std::strerror(errno)) : "";
}

/// Message that another program has the file open; "" if none has.
std::string held_text(const std::string& path, bool for_writing) {
  const std::string holder = file_holder(path, for_writing);
  return holder.empty() ? "" : fmt::format("is held open by {}: close it there first", holder);
}

/// Throws if a file cannot be opened for writing because another program has it open.
void refuse_held(int status, const std::string& path, const std::string& shown_name) {
  const std::string held = status == NC_NOERR ? "" : held_text(path, true);
  if (held.empty()) return;
  const std::string of = path == shown_name ? "" : fmt::format(" ({})", path);
  throw Error(ExitCode::file_error, fmt::format("{}{}: {}", shown_name, of, held));
}

/// Reason why a file cannot be opened, to replace the library's "Unknown file format" and "HDF error"; "" if unknown.
std::string opening_trouble(const std::string& path) {
  if (const std::string held = held_text(path, false); !held.empty()) return held;
  const PlainFile file(path);
  std::array<char, 8> bytes = {};
  const std::string_view head(bytes.data(), static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), 8)));
  read_bytes(file.descriptor(), path, 0, bytes.data(), head.size());
  if (final_path(path) != path) return "is unfinished: its run was killed, or is still laying it out";
  if (head.empty()) return "is empty, expected a netCDF file";
  if (head != "\x89HDF\r\n\x1a\n" && !head.starts_with("CDF")) return "is no netCDF file";
  return "is damaged or cut off: the netCDF library cannot open it";
}

/// Prevents HDF5 from closing unfinished files at exit (see ~NetcdfFile), and from printing an error stack for each
/// absent attribute that netCDF reads; netCDF itself disables this in the first thread only.
void start_library() {
  [[maybe_unused]] static const herr_t once = H5dont_atexit();
  [[maybe_unused]] thread_local const herr_t in_each_thread = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// Second handle of a file that the netCDF library has open for writing; invalid if it cannot be opened. HDF5 requires
/// the same close degree for both handles.
hid_t second_handle(const std::string& path) {
  hid_t handle = H5I_INVALID_HID;
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  for (const H5F_close_degree_t degree : {H5F_CLOSE_DEFAULT, H5F_CLOSE_SEMI, H5F_CLOSE_STRONG}) {
    if (handle < 0 && H5Pset_fclose_degree(access, degree) >= 0) handle = H5Fopen(path.c_str(), H5F_ACC_RDWR, access);
  }
  H5Pclose(access);
  return handle;
}

}  // namespace

void check_netcdf_name(const std::string& path) {
  if (path.find('\\') == std::string::npos) return;
  throw Error(ExitCode::file_error,
              fmt::format("{}: expected a name without a backslash, which the netCDF library takes for a slash", path));
}

/// File open for reading; closed with its last reader.
struct NetcdfFile::Reading {
  PlainFile file;
  std::shared_ptr<Seal> seal;     // null for files of other programs
  std::vector<long> sealed = {};  // index of each variable in the seal, or -1
  int id = -1;

  explicit Reading(const std::string& path);
  ~Reading() {
    if (id >= 0) nc_close(id);
  }
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
  file.path_ = path;
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
  file.path_ = path;
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

namespace {

/// Cache of verified seals, valid while their files do not change: a file that is opened repeatedly is verified once.
std::shared_ptr<Seal> seal_of(const PlainFile& file) {
  struct Known {
    struct stat status;
    std::shared_ptr<Seal> seal;
  };
  static std::map<std::pair<dev_t, ino_t>, Known> known;
  constexpr std::size_t most = 64;
  struct stat found = {};
  if (::fstat(file.descriptor(), &found) != 0) return Seal::read(file);
  const auto same_time = [](const timespec& a, const timespec& b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
  };
  const auto there = known.find({found.st_dev, found.st_ino});
  if (there != known.end()) {
    const struct stat& before = there->second.status;
    if (before.st_size == found.st_size && same_time(before.st_mtim, found.st_mtim) &&
        same_time(before.st_ctim, found.st_ctim)) {
      return there->second.seal;
    }
    known.erase(there);
  }
  std::shared_ptr<Seal> seal = Seal::read(file);
  if (known.size() >= most) known.clear();
  if (seal) known.insert({{found.st_dev, found.st_ino}, {found, seal}});
  return seal;
}

}  // namespace

NetcdfFile::Reading::Reading(const std::string& path) : file(path), seal(seal_of(file)) {
  if (seal) return;
  if (final_path(path) == path) {
    require_no_rest(file);
  } else {
    require_structures(file);
  }
}

NetcdfFile NetcdfFile::open(const std::string& path) {
  check_netcdf_name(path);
  start_library();
  NetcdfFile file(path, false);
  // HDF5 1.10 crashes if a file with strings is opened more than once: all readers share one.
  static std::mutex mutex;
  static std::map<std::pair<dev_t, ino_t>, std::weak_ptr<const Reading>> open_files;
  const std::lock_guard lock(mutex);
  auto reading = std::make_shared<Reading>(path);
  struct stat there = {};
  std::weak_ptr<const Reading> unknown;
  const bool is_known = ::fstat(reading->file.descriptor(), &there) == 0;
  std::weak_ptr<const Reading>& known = is_known ? open_files[{there.st_dev, there.st_ino}] : unknown;
  file.reading_ = known.lock();
  if (!file.reading_) {
    const int status = nc_open(path.c_str(), NC_NOWRITE, &reading->id);
    const std::string trouble = status == NC_NOERR ? "" : opening_trouble(path);
    if (!trouble.empty()) throw Error(ExitCode::file_error, fmt::format("{}: {}", path, trouble));
    file.check(status, "opening the file");
    file.id_ = reading->id;
    if (reading->seal) {
      for (const std::string& name : file.variable_names()) reading->sealed.push_back(reading->seal->find(name));
    }
    file.reading_ = reading;
    known = file.reading_;
  }
  file.id_ = file.reading_->id;
  return file;
}

NetcdfFile::~NetcdfFile() {
  // An unfinished file is not closed before the process ends: closing it may fail (a full disk), and then the library
  // crashes.
  if (id_ >= 0 && !writing_ && !reading_) nc_close(id_);
}

NetcdfFile::NetcdfFile(NetcdfFile&& other) noexcept
    : shown_name_(std::move(other.shown_name_)),
      path_(std::move(other.path_)),
      writing_(other.writing_),
      id_(std::exchange(other.id_, -1)),
      sums_(other.sums_),
      reading_(std::move(other.reading_)) {}

NetcdfFile& NetcdfFile::operator=(NetcdfFile&& other) noexcept {
  std::swap(shown_name_, other.shown_name_);
  std::swap(path_, other.path_);
  std::swap(writing_, other.writing_);
  std::swap(id_, other.id_);
  std::swap(sums_, other.sums_);
  std::swap(reading_, other.reading_);
  return *this;
}

void NetcdfFile::close() {
  // netCDF 4.9 crashes if HDF5 cannot close its file because a write fails. All data is therefore flushed first, and
  // HDF5 closes the file here through a second handle.
  if (!path_.empty()) flush();
  const hid_t handle = path_.empty() ? H5I_INVALID_HID : second_handle(path_);
  const int status = nc_close(std::exchange(id_, -1));
  const bool closed = handle < 0 || H5Fclose(handle) >= 0;
  check(status == NC_NOERR && !closed ? NC_EHDFERR : status, "closing the file");
}

void NetcdfFile::check(int status, std::string_view doing) const {
  if (status == NC_NOERR) {
    errno = 0;  // so that a later value belongs to the failing call
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

void NetcdfFile::add_to(DataSums& sums, int variable) const {
  const std::size_t width = type(variable) == NC_INT ? sizeof(int) : sizeof(double);
  sums.add_variable(variable, name_of(variable), width, shape(variable));
}

void NetcdfFile::put(int variable, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count,
                     const double* values) {
  // Checksums apply to the numbers in the type of the file.
  const nc_type kept = type(variable);
  if (kept == NC_INT) return put(variable, start, count, whole_numbers<int>(values, count).data());
  if (kept == NC_INT64) {
    const std::vector<long long> whole = whole_numbers<long long>(values, count);
    if (sums_ != nullptr) sums_->put(variable, start, count, whole.data());
    return check(nc_put_vara_longlong(id_, variable, start.data(), count.data(), whole.data()), "writing");
  }
  if (sums_ != nullptr) sums_->put(variable, start, count, values);
  check(nc_put_vara_double(id_, variable, start.data(), count.data(), values), "writing");
}

void NetcdfFile::put(int variable, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count,
                     const int* values) {
  if (sums_ != nullptr) sums_->put(variable, start, count, values);
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

void NetcdfFile::get(int variable, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count,
                     double* values) const {
  verify(variable, start, count);
  check(nc_get_vara_double(id_, variable, start.data(), count.data(), values), "reading");
}

/// Verifies the checksums of the numbers that are read from a variable.
void NetcdfFile::verify(int variable, const std::vector<std::size_t>& start,
                        const std::vector<std::size_t>& count) const {
  if (!reading_ || !reading_->seal || start.empty()) return;
  const long sealed = reading_->sealed[static_cast<std::size_t>(variable)];
  if (sealed < 0) return;
  const std::vector<std::size_t> shape = this->shape(variable);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (start[d] > shape[d] || count[d] > shape[d] - start[d]) return;  // an error of the library follows
  }
  for_each_row({shape.begin(), shape.end()}, start, count, [&](std::uint64_t place, std::uint64_t numbers) {
    reading_->seal->verify(reading_->file, static_cast<std::size_t>(sealed), place, numbers);
  });
}

std::uint64_t NetcdfFile::verify_all() const {
  return reading_ && reading_->seal ? reading_->seal->verify_all(reading_->file) : 0;
}

}  // namespace kalaba
