#pragma once

#include <memory>
#include <string>

#include "output/base/sink.hpp"
#include "output/netcdf/archive.hpp"

namespace kalaba {

/// A table of what happened: a row a member and event that happened to it, in this order, with the time and state at
/// the first time.
std::unique_ptr<FileSink> make_events_csv(const std::string& path);

/// The same table of a file's events. Throws Error(file_error) where it cannot be read or written.
void export_events_csv(const Archive& archive, const std::string& path);

}  // namespace kalaba
