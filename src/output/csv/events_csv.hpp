#pragma once

#include <memory>
#include <string>

#include "output/base/sink.hpp"
#include "output/netcdf/archive.hpp"

namespace kalaba {

/// Table of events: one row per member and event that occurred, in this order, with the time and state of the first
/// occurrence.
std::unique_ptr<FileSink> make_events_csv(const std::string& path);

/// Writes this table from the events of a file. Throws Error(file_error) if it cannot be read or written.
void export_events_csv(const Archive& archive, const std::string& path);

}  // namespace kalaba
