#include "output/durable/table_checksum.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "kalaba/error.hpp"
#include "output/durable/mapped_file.hpp"
#include "output/durable/pending_file.hpp"
#include "output/durable/plain_file.hpp"

namespace kalaba {
namespace {

std::string text_of(std::uint64_t size, std::uint64_t value) {
  return fmt::format("kalaba checksum 1: {} bytes, {:016x}\n", size, value);
}

}  // namespace

std::string checksum_path(const std::string& path) { return path + ".checksum"; }

void write_table_checksum(const std::string& path, const Checksum& sum) {
  PendingFile file(checksum_path(path));
  file.write(text_of(sum.size(), sum.value()));
  file.publish();
}

bool check_table(const std::string& path) {
  std::error_code ignored;
  const std::string place = checksum_path(path);
  if (!std::filesystem::exists(std::filesystem::symlink_status(place, ignored))) return false;
  constexpr std::uint64_t most = 4096;
  const MappedFile table(path);
  if (PlainFile(place).text(most) == text_of(table.bytes().size(), Checksum::of(table.bytes()))) return true;
  throw Error(
      ExitCode::file_error,
      fmt::format("{}: is damaged or was changed: its bytes are not those that {} is the checksum of; where the "
                  "change is wanted, remove that file",
                  path, place));
}

}  // namespace kalaba
