#include "output/durable/mapped_file.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "kalaba/error.hpp"
#include "output/durable/plain_file.hpp"

namespace kalaba {

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
