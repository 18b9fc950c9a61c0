#include "output/base/format.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <filesystem>
#include <vector>

#include "kalaba/error.hpp"
#include "output/durable/pending_file.hpp"

namespace kalaba {
namespace {

// All file formats; each is described in a file of its own.
constexpr std::array formats = {&netcdf_format, &csv_format};

const Format& format_of(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  std::vector<std::string_view> known;
  for (const Format* format : formats) {
    if (ending == format->ending) return *format;
    known.push_back(format->ending);
  }
  throw Error(ExitCode::bad_input, fmt::format("{}: a data file ends in {}, not {}", path, fmt::join(known, " or "),
                                               ending.empty() ? "in nothing" : "in " + ending));
}

void check_is_file(const std::string& path) {
  std::error_code failure;
  if (std::filesystem::is_regular_file(path, failure)) return;
  if (std::filesystem::exists(path, failure)) throw Error(ExitCode::file_error, path + ": is not a plain file");
  const std::string unfinished = partial_path(path);
  const bool broken_off = std::filesystem::exists(unfinished, failure);
  throw Error(ExitCode::file_error, path + ": there is no such file" +
                                        (broken_off ? "; " + unfinished + " is of a run that did not end" : ""));
}

}  // namespace

void check_data_file(const Format& format, const std::string& path) {
  if (&format_of(path) != &format) {
    throw Error(ExitCode::bad_input, fmt::format("{}: expected a file whose name ends in {}", path, format.ending));
  }
  check_is_file(path);
}

std::unique_ptr<FileSink> open_sink(const std::string& path, const Provenance& provenance) {
  return format_of(path).make_sink(path, provenance);
}

std::unique_ptr<Reader> open_reader(const std::string& path) {
  const Format& format = format_of(path);
  check_is_file(path);
  return format.make_reader(path);
}

}  // namespace kalaba
