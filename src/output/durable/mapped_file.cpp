#include "output/durable/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "kalaba/error.hpp"

namespace kalaba {

MappedFile::MappedFile(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  bool good = descriptor >= 0 && ::fstat(descriptor, &status) == 0;
  if (good && status.st_size > 0) {
    size_ = static_cast<std::size_t>(status.st_size);
    data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    good = data_ != MAP_FAILED;
  }
  const int reason = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!good) throw Error(ExitCode::file_error, fmt::format("{}: cannot be read: {}", path, std::strerror(reason)));
  if (size_ > 0) ::madvise(data_, size_, MADV_SEQUENTIAL);
}

MappedFile::~MappedFile() {
  if (size_ > 0) ::munmap(data_, size_);
}

}  // namespace kalaba
