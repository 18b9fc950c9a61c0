#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "scenario/document/document.hpp"
#include "scenario/sampling/csv_column.hpp"
#include "scenario/sampling/distribution.hpp"
#include "scenario/sampling/netcdf_column.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

std::vector<double> read_numbers(const Node& node, std::size_t count, const std::string& form) {
  const std::vector<double> numbers = node.numbers();
  if (numbers.size() != count) node.fail(fmt::format("expected {}, found an array of {}", form, numbers.size()));
  return numbers;
}

Distribution read_pair(const Node& node, Distribution::Kind kind, const std::string& form) {
  const std::vector<double> pair = read_numbers(node, 2, form);
  const bool in_order = kind == Distribution::Kind::normal ? pair[1] >= 0 : pair[0] <= pair[1];
  const bool positive = kind != Distribution::Kind::log_uniform || pair[0] > 0;
  if (!in_order || !positive) node.fail(fmt::format("expected {}, found [{}, {}]", form, pair[0], pair[1]));
  return {.kind = kind, .first = pair[0], .second = pair[1]};
}

Distribution read_linspace(const Node& node) {
  const std::string form = "[first, last, points]";
  const std::vector<double> numbers = read_numbers(node, 3, form);
  const double points = numbers[2];
  if (points != std::trunc(points) || points < 1 || points > static_cast<double>(most_members)) {
    node.fail(
        fmt::format("expected {} with a whole number of points from 1 to {}, found {}", form, most_members, points));
  }
  return {.kind = Distribution::Kind::linspace,
          .first = numbers[0],
          .second = numbers[1],
          .count = static_cast<long>(points)};
}

/// Reads the bounds of a truncated normal, which must contain some of the distribution.
void read_within(const Node& node, Distribution& normal) {
  const std::vector<double> bounds = read_numbers(node, 2, "[low, high] with low < high");
  normal.is_truncated = true;
  normal.low = bounds[0];
  normal.high = bounds[1];
  if (normal.low >= normal.high) {
    node.fail(fmt::format("expected [low, high] with low < high, found [{}, {}]", normal.low, normal.high));
  }
  if (normal.second == 0) node.fail("expected a normal with sd > 0 to be cut off, found sd = 0");
  constexpr double most_deviations = 35;  // beyond it, probability below 1e-267
  const double nearest = std::clamp(normal.first, normal.low, normal.high);
  if (std::abs(nearest - normal.first) > most_deviations * normal.second) {
    node.fail(fmt::format("expected bounds within {} standard deviations of the mean {}, found [{}, {}]",
                          most_deviations, normal.first, normal.low, normal.high));
  }
}

void read_weights(const Node& node, Distribution& discrete) {
  discrete.weights =
      read_numbers(node, discrete.values.size(), fmt::format("{} weights, one a value", discrete.values.size()));
  double sum = 0;
  for (const double weight : discrete.weights) {
    if (weight < 0) node.fail(fmt::format("expected weights of at least 0, found {}", weight));
    sum += weight;
  }
  if (!(sum > 0) || !std::isfinite(sum)) node.fail(fmt::format("expected weights of a positive sum, found {}", sum));
}

Distribution read_values(const Node& node) {
  Distribution distribution{.kind = Distribution::Kind::values, .values = node.number_list()};
  if (distribution.values.empty()) node.expected("at least one number");
  return distribution;
}

/// The path for the effective scenario, which may be read from another folder.
std::string stated_path(const Node& node, const std::filesystem::path& path) {
  std::error_code error;
  const std::string absolute = std::filesystem::absolute(path, error).lexically_normal().string();
  if (error)
    node.fail("cannot determine the folder of " + path.string() + ": " + error.message(), ExitCode::file_error);
  if (!is_utf8(absolute)) node.fail("expected a path in UTF-8, found " + absolute);
  return absolute;
}

Distribution read_file(const Node& node, const std::optional<std::string>& column, const std::string& variable) {
  const std::filesystem::path path = node.folder() / node.text();
  std::string stated = stated_path(node, path);
  const auto reads = is_netcdf(path.string()) ? read_netcdf_column : read_csv_column;
  TableColumn read = reads(node, path.string(), column, variable);
  return {.kind = Distribution::Kind::file,
          .values = std::move(read.values),
          .path = std::move(stated),
          .where = node.where(),
          .column = std::move(read.name),
          .note = std::move(read.note),
          .is_state = read.is_state};
}

Distribution read_array(const Node& node, const GivenArrays& arrays) {
  const auto found = arrays.find(node.text());
  if (found == arrays.end()) {
    node.fail(
        fmt::format("the numbers of \"{}\" were an array of the program that ran this; they are no part of the "
                    "scenario",
                    node.text()));
  }
  const auto& [name, values] = *found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) node.fail(fmt::format("expected finite numbers, found {} at [{}]", values[i], i));
  }
  if (values.empty()) node.fail("expected a number a member, found an empty array");
  return {.kind = Distribution::Kind::file,
          .values = {values.begin(), values.end()},
          .where = node.where(),
          .column = name};
}

Distribution read_named(const Node& node, const std::optional<std::string>& column, const std::string& variable,
                        const GivenArrays& arrays) {
  const std::string name = node.name();
  if (name == "uniform") return read_pair(node, Distribution::Kind::uniform, "[low, high] with low <= high");
  if (name == "normal") return read_pair(node, Distribution::Kind::normal, "[mean, sd] with sd >= 0");
  if (name == "log_uniform")
    return read_pair(node, Distribution::Kind::log_uniform, "[low, high] with 0 < low <= high");
  if (name == "values") return read_values(node);
  if (name == "discrete") {
    Distribution discrete = read_values(node);
    discrete.kind = Distribution::Kind::discrete;
    return discrete;
  }
  if (name == "linspace") return read_linspace(node);
  if (name == "array") return read_array(node, arrays);
  return read_file(node, column, variable);
}

}  // namespace

Distribution read_distribution(const Node& node, const std::string& variable, const GivenArrays& arrays) {
  if (node.is_number()) return {.kind = Distribution::Kind::constant, .first = node.number()};
  if (node.is_text()) {
    node.refuse_bare_number();
    return {.kind = Distribution::Kind::formula, .formula = node.text()};
  }
  if (node.is_array()) {
    node.fail(
        "expected a number or a table, found an array; { values = [1, 2, 5] } has members take its values in turn");
  }
  if (!node.is_table()) node.expected("a number, an expression or a table such as { uniform = [0.5, 2] }");
  static const std::vector<std::string> names = {"uniform", "normal",   "log_uniform", "discrete",
                                                 "values",  "linspace", "file",        "array"};
  static const std::vector<std::pair<std::string, std::string>> refinements = {
      {"column", "file"}, {"within", "normal"}, {"weights", "discrete"}};  // and the kind that each refines
  std::vector<std::string> words = names;
  for (const auto& [word, refined] : refinements) words.push_back(word);
  std::optional<Node> chosen;
  std::vector<Node> given;  // refinements
  for (const Node& entry : node.entries()) {
    if (std::find(words.begin(), words.end(), entry.name()) == words.end()) {
      entry.fail("unknown key" + suggestion(entry.name(), words));
    }
    if (std::ranges::count(names, entry.name()) == 0) {
      given.push_back(entry);
      continue;
    }
    if (chosen) node.fail(fmt::format("both {} and {} are given", chosen->name(), entry.name()));
    chosen = entry;
  }
  if (!chosen) node.expected(fmt::format("one of {}", fmt::join(names.begin(), names.end() - 1, ", ")));
  std::optional<std::string> column;
  for (const Node& each : given) {
    const auto refined =
        std::ranges::find(refinements, each.name(), &std::pair<std::string, std::string>::first)->second;
    if (chosen->name() != refined) {
      each.fail(fmt::format("only a {} has {}{}", refined, each.name() == "column" ? "a " : "", each.name()));
    }
    if (each.name() == "column") column = each.text();
  }
  Distribution distribution = read_named(*chosen, column, variable, arrays);
  for (const Node& each : given) {
    if (each.name() == "within") read_within(each, distribution);
    if (each.name() == "weights") read_weights(each, distribution);
  }
  return distribution;
}

}  // namespace kalaba
