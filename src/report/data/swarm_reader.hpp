#pragma once

#include <memory>
#include <string>

#include "output/base/reader.hpp"

namespace kalaba {

/// Reads the agents of one swarm as the members of a file: its columns of coordinates are x, y (and z), whether the
/// file has a dimension of agents or, as the catalogue's small swarms, coordinates x1, y1, x2, ... `member`: which of
/// the file's swarms. nullptr where the file holds no swarm's coordinates or has no such member.
std::unique_ptr<Reader> open_swarm(const std::string& path, long member);

}  // namespace kalaba
