#pragma once

#include <memory>
#include <string>

#include "output/base/sink.hpp"

namespace kalaba {

/// A table of the members, a row each: what became of them, their parameters, and the starts that vary, as they were
/// drawn and on the constraints; of a grid with several members a point, which of them it is. The same that kalaba
/// export writes of a netCDF file.
std::unique_ptr<FileSink> make_members_csv(const std::string& path, const Provenance& provenance);

}  // namespace kalaba
