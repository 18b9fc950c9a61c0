#pragma once

#include <memory>
#include <string>

#include "output/reader.hpp"

namespace kalaba {

/// Reads what the netCDF sink writes.
std::unique_ptr<Reader> open_netcdf(const std::string& path);

}  // namespace kalaba
