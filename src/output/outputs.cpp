#include "output/outputs.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "kalaba/error.hpp"
#include "kalaba/saved_times.hpp"
#include "output/base/format.hpp"
#include "output/base/layout.hpp"
#include "output/csv/events_csv.hpp"
#include "output/csv/members_csv.hpp"
#include "output/csv/statistics_csv.hpp"
#include "output/durable/disk_space.hpp"
#include "output/netcdf/compressed_file.hpp"
#include "output/netcdf/growing_netcdf.hpp"

namespace kalaba {
namespace {

/// Tables beside a CSV file; a netCDF file contains the same data itself.
struct Tables {
  bool trajectories;
  bool statistics;
  bool events;
  bool members;
};

Tables tables_of(const std::string& path, const Options& options) {
  const bool is_csv = std::filesystem::path(path).extension() == csv_format.ending;
  return {!is_csv || options.trajectories, is_csv && options.statistics.any(), is_csv && !options.events.empty(),
          is_csv && options.trajectories};
}

}  // namespace

std::vector<std::string> output_paths(const std::string& path, const Options& options) {
  const Tables tables = tables_of(path, options);
  const auto beside = [&](const char* ending) {
    return std::filesystem::path(path).replace_extension(ending).string();
  };
  std::vector<std::string> paths = {path};
  if (tables.statistics && tables.trajectories) paths.push_back(beside(".statistics.csv"));
  if (tables.events && (tables.statistics || tables.trajectories)) paths.push_back(beside(".events.csv"));
  if (tables.members) paths.push_back(beside(".members.csv"));
  return paths;
}

double expected_bytes(const std::string& path, const RunInfo& run, const Provenance& provenance) {
  const Tables tables = tables_of(path, run.options);
  if (!tables.trajectories && !tables.statistics && !tables.events) return 0;
  if (std::filesystem::path(path).extension() != csv_format.ending) return netcdf_bytes(run, provenance);
  constexpr double number = 19;  // bytes, with its comma
  double columns = 0;
  for (const FieldLayout& layout : saved_layouts(*run.system, run.options.fields)) {
    columns += static_cast<double>(layout.components.size());
  }
  const auto times = static_cast<double>(run.times.size());
  const auto agents = static_cast<double>(run.system->copies());
  const auto members = static_cast<double>(run.members);
  const double rows = members * times * agents;
  const auto parameters = static_cast<double>(run.system->parameters.size());
  double bytes = tables.trajectories ? number * rows * (columns + 1) + number * members * (parameters + 2) : 0;
  if (tables.statistics) bytes += number * times * columns * static_cast<double>(run.options.statistics.kinds.size());
  const auto state = static_cast<double>(run.system->coordinates.size() + run.system->rates.size());
  if (tables.events) bytes += number * members * static_cast<double>(run.options.events.size()) * (state + 3);
  return bytes;
}

void check_room(const std::string& path, const SystemInfo& system, const Options& options, long members) {
  if (!options.trajectories) return;
  double numbers = static_cast<double>(saved_count(options)) * static_cast<double>(members);
  double components = 0;
  for (const FieldLayout& layout : saved_layouts(system, options.fields))
    components += static_cast<double>(layout.size());
  const bool is_csv = std::filesystem::path(path).extension() == csv_format.ending;
  numbers *= components;
  check_space(path, numbers * (is_csv ? 2 : 8));  // in a table, two bytes or more with its comma
}

std::vector<std::unique_ptr<FileSink>> open_outputs(const std::string& path, const Provenance& provenance,
                                                    const Options& options) {
  std::vector<std::unique_ptr<FileSink>> sinks;
  const Tables tables = tables_of(path, options);
  const std::vector<std::string> paths = output_paths(path, options);
  if (tables.trajectories) sinks.push_back(open_sink(path, provenance));
  if (tables.statistics) sinks.push_back(make_statistics_csv(paths[sinks.size()]));
  if (tables.events) sinks.push_back(make_events_csv(paths[sinks.size()]));
  if (tables.members) sinks.push_back(make_members_csv(paths[sinks.size()], provenance));
  return sinks;
}

void compress_outputs(const std::vector<std::string>& paths, const Options& options, const Summary& summary) {
  if (options.compression == 0 || summary.interrupted) return;
  for (const std::string& path : paths) {
    if (std::filesystem::path(path).extension() != netcdf_format.ending) continue;
    try {
      compress_netcdf(path, options.compression);
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("{}\nkalaba: {} is complete, and not compressed", error.what(), path));
    }
  }
}

}  // namespace kalaba
