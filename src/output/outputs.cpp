#include "output/outputs.hpp"

#include <filesystem>

#include "output/format.hpp"
#include "output/statistics_csv.hpp"

namespace kalaba {
namespace {

bool has_statistics_table(const std::string& path, const Options& options) {
  return options.statistics.any() && std::filesystem::path(path).extension() == csv_format.ending;
}

}  // namespace

std::vector<std::string> output_paths(const std::string& path, const Options& options) {
  if (!has_statistics_table(path, options) || !options.trajectories) return {path};
  return {path, std::filesystem::path(path).replace_extension(".statistics.csv").string()};
}

std::vector<std::unique_ptr<FileSink>> open_outputs(const std::string& path, const Provenance& provenance,
                                                    const Options& options) {
  std::vector<std::unique_ptr<FileSink>> sinks;
  const bool table = has_statistics_table(path, options);
  if (!table || options.trajectories) sinks.push_back(open_sink(path, provenance));
  if (table) sinks.push_back(make_statistics_csv(output_paths(path, options).back()));
  return sinks;
}

}  // namespace kalaba
