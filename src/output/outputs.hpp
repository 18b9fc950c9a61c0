#pragma once

#include <memory>
#include <string>
#include <vector>

#include "output/base/sink.hpp"

namespace kalaba {

/// Files of a run whose output.file is `path`, the file of that name first. A netCDF file also contains the statistics;
/// for a file NAME.csv they are in NAME.statistics.csv, events in NAME.events.csv and the members' parameters in
/// NAME.members.csv; without trajectories the first of these is NAME.csv itself.
std::vector<std::string> output_paths(const std::string& path, const Options& options);

/// Total size of these files, bytes: nearly exact for netCDF, an estimate for tables.
double expected_bytes(const std::string& path, const RunInfo& run, const Provenance& provenance);

/// Throws Error(file_error) if the disk has too little space for the trajectories alone; called before a run allocates
/// memory for its saved times.
void check_room(const std::string& path, const SystemInfo& system, const Options& options, long members);

/// Opens the sinks of these files, in that order. Throws as open_sink does.
std::vector<std::unique_ptr<FileSink>> open_outputs(const std::string& path, const Provenance& provenance,
                                                    const Options& options);

/// Compresses the netCDF files among the finished outputs of a run, if its options say so. Throws Error(file_error);
/// the outputs are then complete, and not compressed.
void compress_outputs(const std::vector<std::string>& paths, const Options& options, const Summary& summary);

}  // namespace kalaba
