#include "output/netcdf/statistics_reader.hpp"

#include <fmt/format.h>

#include <utility>

#include "kalaba/error.hpp"

namespace kalaba {
namespace {

/// Reads a variable of `expected` numbers; returns no numbers if the file has none of that name.
std::vector<double> read_if_there(const Archive& archive, const std::string& name, std::size_t expected) {
  const FileVariable* variable = archive.inventory().find(name);
  if (variable == nullptr) return {};
  if (variable->size() != expected || variable->type == FileVariable::Type::text) {
    throw Error(ExitCode::file_error, fmt::format("{}: the variable {} has {} numbers, expected {}", archive.path(),
                                                  name, variable->size(), expected));
  }
  return archive.numbers(*variable);
}

}  // namespace

EnsembleStatistics statistics_of(const Archive& archive) {
  EnsembleStatistics statistics;
  const FileVariable* ok_members = archive.inventory().find("ok_members");
  const FileVariable* time = archive.inventory().find("time");
  if (ok_members == nullptr || time == nullptr) return statistics;
  statistics.times = archive.numbers(*time);
  for (const double count : read_if_there(archive, "ok_members", statistics.times.size())) {
    statistics.ok_members.push_back(static_cast<long>(count));
  }
  if (const FileVariable* shares = archive.inventory().find("quantile")) {
    statistics.quantiles = archive.numbers(*shares);
  }
  const FileVariable* const inputs = archive.inventory().find("variable");
  if (inputs != nullptr && inputs->type == FileVariable::Type::text) statistics.inputs = archive.texts("variable");
  statistics.group_by = archive.inventory().attribute("group_by");
  if (!statistics.group_by.empty()) statistics.groups = archive.numbers(*archive.inventory().find("group"));
  const SystemInfo labels = archive.labels();
  std::vector<std::string> along;
  for (const Variable& each : labels.sensitivities) along.push_back(each.name);
  for (FieldLayout& layout : archive.layouts()) {
    FieldStatistics found;
    found.layout = std::move(layout);
    const std::string& name = found.layout.name;
    const std::size_t size = statistics.times.size() * found.layout.size();
    found.count = read_if_there(archive, name + "_count", size);
    if (found.count.empty()) continue;
    found.mean = read_if_there(archive, name + "_mean", size);
    found.std = read_if_there(archive, name + "_std", size);
    found.min = read_if_there(archive, name + "_min", size);
    found.max = read_if_there(archive, name + "_max", size);
    found.quantiles = read_if_there(archive, name + "_quantile", size * statistics.quantiles.size());
    const std::size_t group_size = size * statistics.groups.size();
    found.correlation = read_if_there(archive, name + "_correlation", size * statistics.inputs.size());
    found.group_count = read_if_there(archive, name + "_group_count", group_size);
    found.group_mean = read_if_there(archive, name + "_group_mean", group_size);
    found.group_std = read_if_there(archive, name + "_group_std", group_size);
    found.group_min = read_if_there(archive, name + "_group_min", group_size);
    found.group_max = read_if_there(archive, name + "_group_max", group_size);
    found.gradient_count = read_if_there(archive, name + "_gradient_count", size);
    if (!found.gradient_count.empty()) statistics.along = along;
    found.mean_gradient = read_if_there(archive, name + "_mean_gradient", size * along.size());
    found.variance_gradient = read_if_there(archive, name + "_variance_gradient", size * along.size());
    found.std_gradient = read_if_there(archive, name + "_std_gradient", size * along.size());
    found.quantile_gradient =
        read_if_there(archive, name + "_quantile_gradient", size * along.size() * statistics.quantiles.size());
    if (const FileVariable* histogram = archive.inventory().find(name + "_histogram")) {
      const std::size_t bins = histogram->shape.back();
      found.histogram = read_if_there(archive, name + "_histogram", size * bins);
      found.below = read_if_there(archive, name + "_below", size);
      found.above = read_if_there(archive, name + "_above", size);
      found.bin_edges = read_if_there(archive, name + "_bin_edge", found.layout.size() * (bins + 1));
    }
    statistics.fields.push_back(std::move(found));
  }
  return statistics;
}

}  // namespace kalaba
