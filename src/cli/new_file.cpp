#include "cli/new_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "kalaba/error.hpp"

namespace kalaba {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw Error(ExitCode::file_error, fmt::format("{}: {}", path, what));
}

}  // namespace

void write_new_file(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "wx");
  if (file == nullptr) {
    fail(path, errno == EEXIST ? "exists already and is left as it is"
                               : fmt::format("cannot be written: {}", std::strerror(errno)));
  }
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) == 0 && written) return;
  const std::string reason = std::strerror(errno);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  fail(path, "cannot be written: " + reason);
}

}  // namespace kalaba
