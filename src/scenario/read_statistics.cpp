#include "scenario/read_statistics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "scenario/nearest.hpp"

namespace kalaba {
namespace {

/// In the order of `all_statistics`, whatever the order they are written in.
std::vector<Statistic> read_kinds(const Node& node) {
  const std::vector<std::string> words = node.texts();
  std::vector<std::string> names;
  std::vector<Statistic> kinds;
  for (const Statistic kind : all_statistics) {
    names.emplace_back(statistic_name(kind));
    if (std::ranges::count(words, names.back()) > 0) kinds.push_back(kind);
  }
  for (const std::string& word : words) {
    if (std::ranges::count(names, word) > 0) continue;
    node.fail(fmt::format("unknown statistic \"{}\"{} (there are {})", word, suggestion(word, names),
                          fmt::join(names, ", ")));
  }
  return kinds;
}

std::vector<double> read_quantiles(const Node& node, const StatisticsOptions& statistics) {
  if (!statistics.has(Statistic::quantiles)) {
    node.fail(fmt::format("expected \"quantiles\" among output.statistics, found {}", toml_statistics(statistics)));
  }
  const std::vector<double> shares = node.numbers();
  const bool ascending = std::ranges::adjacent_find(shares, std::greater_equal()) == shares.end();
  if (shares.empty() || shares.front() < 0 || shares.back() > 1 || !ascending) {
    node.fail(fmt::format("expected ascending numbers from 0 to 1, found [{}]", fmt::join(shares, ", ")));
  }
  return shares;
}

}  // namespace

void read_statistics(Document& document, Options& options) {
  StatisticsOptions& statistics = options.statistics;
  if (const auto node = document.find("output.statistics")) {
    statistics.kinds = read_kinds(*node);
    if (statistics.any() && options.fields.bits() == 0) {
      node->fail("expected output.fields to say what the statistics are of, found no field there");
    }
  }
  if (const auto node = document.find("output.quantiles")) statistics.quantiles = read_quantiles(*node, statistics);
  if (const auto node = document.find("output.trajectories")) {
    options.trajectories = node->boolean();
    if (!options.trajectories && !statistics.any()) {
      node->fail("expected output.statistics where there are no trajectories, found none: nothing would be written");
    }
  }
}

std::string toml_statistics(const StatisticsOptions& statistics) {
  std::vector<std::string> names;
  for (const Statistic kind : statistics.kinds) names.push_back(fmt::format("\"{}\"", statistic_name(kind)));
  return fmt::format("[{}]", fmt::join(names, ", "));
}

}  // namespace kalaba
