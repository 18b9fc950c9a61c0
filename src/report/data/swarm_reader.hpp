#pragma once

#include <memory>
#include <string>

#include "output/base/reader.hpp"

namespace kalaba {

/// Opens a file with the agents of one swarm as its members: the coordinate columns are x, y (and z), for a file with a
/// dimension of agents, or with coordinates x1, y1, x2, ... of the catalogue's small swarms. `member`: index of the
/// swarm in the file. Returns nullptr if the file does not have all coordinates of a swarm, or no
/// such member.
std::unique_ptr<Reader> open_swarm(const std::string& path, long member);

}  // namespace kalaba
