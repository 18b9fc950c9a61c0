#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "output/base/reader.hpp"
#include "output/base/sink.hpp"

namespace kalaba {

/// File format: its writer and its reader.
struct Format {
  std::string_view ending;  ///< with the dot
  std::unique_ptr<FileSink> (*make_sink)(const std::string& path, const Provenance& provenance);
  std::unique_ptr<Reader> (*make_reader)(const std::string& path);
};

extern const Format netcdf_format;
extern const Format csv_format;

/// Throws Error(bad_input) if the path does not have the format's ending, Error(file_error) if it is not a file.
void check_data_file(const Format& format, const std::string& path);

}  // namespace kalaba
