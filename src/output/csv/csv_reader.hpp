#pragma once

#include <memory>
#include <string>

#include "output/base/reader.hpp"

namespace kalaba {

/// Reads files of the CSV sink: rows ordered by member, then time, with the same times for every member (members of an
/// interrupted run may have fewer).
std::unique_ptr<Reader> open_csv(const std::string& path);

}  // namespace kalaba
