#pragma once

#include <memory>
#include <string>

#include "output/base/sink.hpp"

namespace kalaba {

/// Table with one row per member: its status, its parameters, and the starts that vary, both as drawn and after
/// projection; for a grid with several members per point, the repetition. Identical to the table that kalaba export
/// writes from a netCDF file.
std::unique_ptr<FileSink> make_members_csv(const std::string& path, const Provenance& provenance);

}  // namespace kalaba
