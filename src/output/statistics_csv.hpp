#pragma once

#include <memory>
#include <string>

#include "output/sink.hpp"

namespace kalaba {

/// A table of a run's statistics: `time,ok_members`, then COMPONENT_count, COMPONENT_mean, ..., COMPONENT_q0.05, ...
/// for every component of the asked fields, as far as asked for; a row a saved time.
std::unique_ptr<FileSink> make_statistics_csv(const std::string& path);

}  // namespace kalaba
