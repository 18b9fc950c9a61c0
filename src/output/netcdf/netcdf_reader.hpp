#pragma once

#include <memory>
#include <string>

#include "output/base/reader.hpp"

namespace kalaba {

/// Opens a file of the netCDF sink.
std::unique_ptr<Reader> open_netcdf(const std::string& path);

/// Opens a file of several swarms, with the agents of this one as its members.
std::unique_ptr<Reader> open_netcdf_swarm(const std::string& path, long swarm);

}  // namespace kalaba
