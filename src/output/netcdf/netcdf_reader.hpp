#pragma once

#include <memory>
#include <string>

#include "output/base/reader.hpp"

namespace kalaba {

/// Reads what the netCDF sink writes.
std::unique_ptr<Reader> open_netcdf(const std::string& path);

/// The same; of several swarms, the agents of this one as its members.
std::unique_ptr<Reader> open_netcdf_swarm(const std::string& path, long swarm);

}  // namespace kalaba
