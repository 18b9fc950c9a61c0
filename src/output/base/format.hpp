#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "output/base/reader.hpp"
#include "output/base/sink.hpp"

namespace kalaba {

/// A file format: how it is written and read back.
struct Format {
  std::string_view ending;  ///< with the dot
  std::unique_ptr<FileSink> (*make_sink)(const std::string& path, const Provenance& provenance);
  std::unique_ptr<Reader> (*make_reader)(const std::string& path);
};

extern const Format netcdf_format;
extern const Format csv_format;

/// Throws Error(bad_input) where the path does not end as the format's files do, Error(file_error) where it is no file.
void check_data_file(const Format& format, const std::string& path);

}  // namespace kalaba
