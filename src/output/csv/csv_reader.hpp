#pragma once

#include <memory>
#include <string>

#include "output/base/reader.hpp"

namespace kalaba {

/// Reads what the CSV sink writes: rows ordered by member, then time, every member with the same times (the members of
/// an interrupted run may have fewer).
std::unique_ptr<Reader> open_csv(const std::string& path);

}  // namespace kalaba
