#include "output/outputs.hpp"

#include <filesystem>

#include "output/events_csv.hpp"
#include "output/format.hpp"
#include "output/statistics_csv.hpp"

namespace kalaba {
namespace {

/// Tables beside a CSV file; a netCDF file holds all in one.
struct Tables {
  bool trajectories;
  bool statistics;
  bool events;
};

Tables tables_of(const std::string& path, const Options& options) {
  const bool is_csv = std::filesystem::path(path).extension() == csv_format.ending;
  const bool statistics = is_csv && options.statistics.any();
  return {!statistics || options.trajectories, statistics, is_csv && !options.events.empty()};
}

}  // namespace

std::vector<std::string> output_paths(const std::string& path, const Options& options) {
  const Tables tables = tables_of(path, options);
  const auto beside = [&](const char* ending) {
    return std::filesystem::path(path).replace_extension(ending).string();
  };
  std::vector<std::string> paths = {path};
  if (tables.statistics && tables.trajectories) paths.push_back(beside(".statistics.csv"));
  if (tables.events) paths.push_back(beside(".events.csv"));
  return paths;
}

std::vector<std::unique_ptr<FileSink>> open_outputs(const std::string& path, const Provenance& provenance,
                                                    const Options& options) {
  std::vector<std::unique_ptr<FileSink>> sinks;
  const Tables tables = tables_of(path, options);
  const std::vector<std::string> paths = output_paths(path, options);
  if (tables.trajectories) sinks.push_back(open_sink(path, provenance));
  if (tables.statistics) sinks.push_back(make_statistics_csv(paths[sinks.size()]));
  if (tables.events) sinks.push_back(make_events_csv(paths.back()));
  return sinks;
}

}  // namespace kalaba
