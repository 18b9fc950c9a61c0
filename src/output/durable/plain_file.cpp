#include "output/durable/plain_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <sys/mman.h>
#include "kalaba/error.hpp"

namespace kalaba {
namespace {

[[noreturn]] void cannot_read(const std::string& path, const std::string& why) {
  throw Error(ExitCode::file_error, fmt::format("{}: cannot be read: {}", path, why));
}

}  // namespace

PlainFile::PlainFile(const std::string& path) : path_(path) {
  // Without O_NONBLOCK, opening a named pipe would block until it has a writer.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0 && errno == ENOENT) throw Error(ExitCode::file_error, path + ": there is no such file");
  if (descriptor_ < 0) cannot_read(path, std::strerror(errno));
  struct stat status = {};
  const bool known = ::fstat(descriptor_, &status) == 0;
  const int reason = errno;
  if (known && S_ISREG(status.st_mode)) {
    size_ = static_cast<std::uint64_t>(status.st_size);
    return;
  }
  ::close(descriptor_);
  if (!known) cannot_read(path, std::strerror(reason));
  throw Error(ExitCode::file_error, path + ": is not a plain file");
}

PlainFile::~PlainFile() { ::close(descriptor_); }

std::string PlainFile::text(std::uint64_t most) const {
  if (size_ > most) cannot_read(path_, fmt::format("it has {} bytes, expected at most {}", size_, most));
  std::string bytes(size_, '\0');
  read_bytes(descriptor_, path_, 0, bytes.data(), bytes.size());
  return bytes;
}

void read_bytes(int descriptor, const std::string& path, std::uint64_t place, void* to, std::size_t size) {
  auto* bytes = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t read = ::pread(descriptor, bytes, size, static_cast<off_t>(place));
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) cannot_read(path, std::strerror(errno));
    if (read == 0) cannot_read(path, "it is shorter than it was");
    bytes += read;
    place += static_cast<std::uint64_t>(read);
    size -= static_cast<std::size_t>(read);
  }
}

MappedFile::MappedFile(const std::string& path) {
  const PlainFile file(path);
  size_ = file.size();
  if (size_ == 0) return;
  data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (data_ == MAP_FAILED) {
    throw Error(ExitCode::file_error, fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  }
  ::madvise(data_, size_, MADV_SEQUENTIAL);
}

MappedFile::~MappedFile() {
  if (size_ > 0) ::munmap(data_, size_);
}

}  // namespace kalaba
