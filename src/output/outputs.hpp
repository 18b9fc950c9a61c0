#pragma once

#include <memory>
#include <string>
#include <vector>

#include "output/base/sink.hpp"

namespace kalaba {

/// The files of a run whose output.file is `path`, the one of that name first. A netCDF file holds the statistics too;
/// beside NAME.csv they are in NAME.statistics.csv, events in NAME.events.csv and the members' parameters in
/// NAME.members.csv; where there are no trajectories the first of these is NAME.csv itself.
std::vector<std::string> output_paths(const std::string& path, const Options& options);

/// Bytes of all of them together: of netCDF all but exactly, of tables about.
double expected_bytes(const std::string& path, const RunInfo& run, const Provenance& provenance);

/// Throws Error(file_error) where the disk has not the room for the trajectories alone: before a run takes memory for
/// its saved times.
void check_room(const std::string& path, const SystemInfo& system, const Options& options, long members);

/// Their sinks, in that order. Throws as open_sink does.
std::vector<std::unique_ptr<FileSink>> open_outputs(const std::string& path, const Provenance& provenance,
                                                    const Options& options);

}  // namespace kalaba
