#include "scenario/agent_path.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scenario/document/toml_text.hpp"
#include "scenario/sampling/csv_column.hpp"

namespace kalaba {
namespace {

constexpr const char* axes[] = {"x", "y", "z"};

AgentPath read_csv(const Node& node, int dimension) {
  const std::string path = (node.folder() / node.text()).string();
  AgentPath found;
  found.times = read_csv_column(node, path, "t", "").values;
  found.points.resize(found.times.size());
  for (int d = 0; d < dimension; ++d) {
    const std::vector<double> column = read_csv_column(node, path, axes[d], "").values;
    for (std::size_t k = 0; k < found.points.size(); ++k) found.points[k].push_back(column[k]);
  }
  return found;
}

AgentPath read_rows(const Node& node, int dimension) {
  AgentPath found;
  const auto columns = static_cast<std::size_t>(dimension) + 1;
  for (const Node& row : node.items("rows [t, x, y] or a CSV file")) {
    const std::vector<double> numbers = row.numbers();
    if (numbers.size() != columns) {
      row.fail(fmt::format("expected {} numbers, {}, found {}", columns, dimension == 2 ? "t, x, y" : "t, x, y, z",
                           numbers.size()));
    }
    found.times.push_back(numbers.front());
    found.points.emplace_back(numbers.begin() + 1, numbers.end());
  }
  return found;
}

}  // namespace

std::string AgentPath::to_toml() const {
  std::vector<std::string> rows;
  for (std::size_t k = 0; k < times.size(); ++k) {
    std::string row = toml_number(times[k]);
    for (const double number : points[k]) row += ", " + toml_number(number);
    rows.push_back("[" + row + "]");
  }
  return fmt::format("[{}]", fmt::join(rows, ", "));
}

AgentPath read_agent_path(const Node& node, int dimension) {
  AgentPath path = node.is_text() ? read_csv(node, dimension) : read_rows(node, dimension);
  if (path.times.size() < 2) node.fail(fmt::format("expected two points or more, found {}", path.times.size()));
  for (std::size_t k = 1; k < path.times.size(); ++k) {
    if (path.times[k - 1] < path.times[k]) continue;
    node.fail(fmt::format("expected ascending times, found {} after {}", path.times[k], path.times[k - 1]));
  }
  return path;
}

}  // namespace kalaba
