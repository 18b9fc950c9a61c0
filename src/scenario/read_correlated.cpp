#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "scenario/document/toml_text.hpp"
#include "scenario/sampling/correlated.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

const std::vector<std::string> keys = {"variables", "mean", "covariance", "std", "correlation"};

/// The values of one table, by key.
class Table {
 public:
  explicit Table(const Node& table) : table_(table), entries_(table.entries()) {
    for (const Node& entry : entries_) {
      if (std::ranges::count(keys, entry.name()) == 0) {
        entry.fail(fmt::format("unknown key{} (there are {})", suggestion(entry.name(), keys), fmt::join(keys, ", ")));
      }
    }
  }

  const Node* find(const std::string& key) const {
    const auto found = std::ranges::find(entries_, key, &Node::name);
    return found == entries_.end() ? nullptr : &*found;
  }
  const Node& at(const std::string& key, const std::string& form) const {
    const Node* const found = find(key);
    if (found == nullptr) table_.fail(fmt::format("expected {} = {}, found none", key, form));
    return *found;
  }

 private:
  const Node& table_;
  std::vector<Node> entries_;
};

std::vector<std::string> read_variables(const Node& node, const std::vector<std::string>& known) {
  const std::vector<std::string> names = node.texts();
  if (names.size() < 2) node.fail(fmt::format("expected two variables or more, found {}", names.size()));
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::ranges::count(known, *name) == 0) {
      node.fail(fmt::format("unknown variable \"{}\"{} (there are {})", *name, suggestion(*name, known),
                            fmt::join(known, ", ")));
    }
    if (std::count(names.begin(), name, *name) > 0) node.fail(fmt::format("\"{}\" is given twice", *name));
  }
  return names;
}

std::vector<double> read_list(const Node& node, std::size_t size) {
  const std::vector<double> numbers = node.numbers();
  if (numbers.size() != size) {
    node.fail(fmt::format("expected {} numbers, one a variable, found {}", size, numbers.size()));
  }
  return numbers;
}

/// Reads a symmetric matrix; only its lower triangle is kept.
std::vector<double> read_matrix(const Node& node, const std::vector<std::string>& names) {
  const std::size_t size = names.size();
  const std::vector<Node> rows = node.items();
  if (rows.size() != size) {
    node.fail(fmt::format("expected {0} rows of {0} numbers, one a variable, found {1} rows", size, rows.size()));
  }
  std::vector<double> matrix;
  for (const Node& row : rows) {
    const std::vector<double> numbers = row.numbers();
    if (numbers.size() != size) row.fail(fmt::format("expected {} numbers, found {}", size, numbers.size()));
    matrix.insert(matrix.end(), numbers.begin(), numbers.end());
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double lower = matrix[i * size + j];
      double& upper = matrix[j * size + i];
      const double size_of_both = std::sqrt(std::abs(matrix[i * size + i])) * std::sqrt(std::abs(matrix[j * size + j]));
      if (std::abs(lower - upper) > 1e-12 * size_of_both) {
        node.fail(
            fmt::format("expected a symmetric matrix, found {} and {} of {} and {}", upper, lower, names[j], names[i]));
      }
      upper = lower;
    }
  }
  return matrix;
}

std::vector<double> read_deviations(const Node& node, std::size_t size) {
  std::vector<double> deviations = read_list(node, size);
  for (const double deviation : deviations) {
    if (deviation < 0) node.fail(fmt::format("expected standard deviations of at least 0, found {}", deviation));
  }
  return deviations;
}

/// Reads the covariance, or computes it from std and correlation.
std::pair<std::vector<double>, const Node*> read_covariance(const Table& table, const std::vector<std::string>& names) {
  const std::size_t size = names.size();
  const Node* const covariance = table.find("covariance");
  for (const char* other : {"std", "correlation"}) {
    if (covariance == nullptr) break;
    if (const Node* const given = table.find(other)) given->fail("expected either this or covariance, found both");
  }
  if (covariance != nullptr || table.find("std") == nullptr) {
    const Node& node = table.at("covariance", "[[...], ...] (or std = [...] and correlation = [[...], ...])");
    return {read_matrix(node, names), &node};
  }
  const std::vector<double> deviations = read_deviations(*table.find("std"), size);
  const Node& node = table.at("correlation", "[[...], ...], for std is given");
  std::vector<double> matrix = read_matrix(node, names);
  for (std::size_t i = 0; i < size; ++i) {
    if (matrix[i * size + i] != 1) {
      node.fail(fmt::format("expected ones on the diagonal, found {} of {}", matrix[i * size + i], names[i]));
    }
    for (std::size_t j = 0; j < size; ++j) matrix[i * size + j] *= deviations[i] * deviations[j];
  }
  return {std::move(matrix), &node};
}

CorrelatedNormal read_one(const Node& node, const std::vector<std::string>& known) {
  if (!node.is_table()) node.expected("a table of variables, mean and covariance");
  const Table table(node);
  CorrelatedNormal normal{node, {}, {}, {}, {}};
  normal.variables = read_variables(table.at("variables", "[\"parameters.NAME\", \"initial.NAME\", ...]"), known);
  const std::size_t size = normal.variables.size();
  normal.mean = read_list(table.at("mean", "[...]"), size);
  const Node* stated = nullptr;
  std::tie(normal.covariance, stated) = read_covariance(table, normal.variables);
  SemiDefiniteFactor factor = semi_definite_factor(normal.covariance, size);
  if (!factor.minor.empty()) {
    std::vector<std::string> minor;
    for (const std::size_t i : factor.minor) minor.push_back(normal.variables[i]);
    stated->fail(fmt::format("expected a positive semi-definite matrix, found one whose minor of {} is {:.6g}",
                             fmt::join(minor, ", "), factor.determinant));
  }
  normal.factor = std::move(factor.lower);
  return normal;
}

std::string list_of(const double* values, std::size_t size) {
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < size; ++i) numbers.push_back(toml_number(values[i]));
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

}  // namespace

std::vector<CorrelatedNormal> read_correlated(Document& document, const std::vector<std::string>& known) {
  std::vector<CorrelatedNormal> all;
  const std::optional<Node> node = document.find("correlated");
  if (!node) return all;
  for (const Node& table : node->is_table() ? std::vector<Node>{*node} : node->items()) {
    CorrelatedNormal normal = read_one(table, known);
    for (const CorrelatedNormal& earlier : all) {
      for (const std::string& name : normal.variables) {
        if (std::ranges::count(earlier.variables, name) == 0) continue;
        table.fail(fmt::format("\"{}\" is in {} too", name, earlier.node.key()));
      }
    }
    all.push_back(std::move(normal));
  }
  return all;
}

std::string CorrelatedNormal::to_toml() const {
  const std::size_t size = variables.size();
  std::vector<std::string> names;
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < size; ++i) {
    names.push_back(toml_string(variables[i]));
    rows.push_back(list_of(covariance.data() + i * size, size));
  }
  return fmt::format("[[correlated]]\nvariables = [{}]\nmean = {}\ncovariance = [{}]\n", fmt::join(names, ", "),
                     list_of(mean.data(), size), fmt::join(rows, ", "));
}

}  // namespace kalaba
