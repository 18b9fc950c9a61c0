#include "output/csv/statistics_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "kalaba/system.hpp"
#include "output/csv/csv_cells.hpp"
#include "output/csv/csv_reader.hpp"
#include "output/csv/run_table.hpp"
#include "output/durable/plain_file.hpp"

namespace kalaba {
namespace {

const std::vector<std::string> first_names = {"time", "ok_members"};

/// Columns of one component of a field, by what follows its name and "_".
struct Component {
  std::string name;
  std::map<std::string, std::size_t, std::less<>> columns;
};

/// Text between brackets at the end of "correlation[parameters.L]", "q0.5_gradient[parameters.L]"; empty if the name
/// does not begin with `begin`.
std::optional<std::string> bracketed(const std::string& name, const std::string& begin) {
  if (!name.starts_with(begin + "[") || !name.ends_with(']')) return std::nullopt;
  return name.substr(begin.size() + 1, name.size() - begin.size() - 2);
}

/// The order of the columns is that of `statistics_table`: those of a component follow its count.
std::vector<Component> components_of(const RunTable& table) {
  constexpr std::string_view count = "_count";
  std::vector<Component> components;
  for (std::size_t column = first_names.size(); column < table.names().size(); ++column) {
    const std::string& name = table.names()[column];
    const bool is_gradient = name.ends_with("_gradient_count");
    if (name.ends_with(count) && !is_gradient) {
      components.push_back({name.substr(0, name.size() - count.size()), {{"count", column}}});
    } else if (!components.empty() && name.starts_with(components.back().name + "_")) {
      components.back().columns.emplace(name.substr(components.back().name.size() + 1), column);
    } else {
      refuse_line(table.path(), 1,
                  fmt::format("expected a statistic of {}, or the column COMPONENT_count, found {}",
                              components.empty() ? "a component" : components.back().name, name));
    }
  }
  return components;
}

class StatisticsTable {
 public:
  explicit StatisticsTable(const std::string& path) : table_(path, first_names), components_(components_of(table_)) {}

  EnsembleStatistics read() {
    read_rows();
    if (components_.empty()) return std::move(result_);
    name_lists();
    std::vector<std::string> names;
    for (const Component& each : components_) names.push_back(each.name);
    for (const std::string& along : csv_sensitivities(names)) scalars_.sensitivities.push_back({along, "", 0, ""});
    scalars_.has_energy = true;
    const std::vector<Column> columns = csv_columns(names);
    for (const Field field : all_fields) {
      of_field_.clear();
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].field == field) of_field_.push_back(i);
      }
      if (!of_field_.empty()) add_field(field);
    }
    return std::move(result_);
  }

 private:
  void read_rows() {
    rows_.resize(table_.names().size());
    while (table_.next()) {
      for (std::size_t column = 0; column < rows_.size(); ++column) rows_[column].push_back(table_.number(column));
    }
    result_.times = rows_[0];
    for (const double members : rows_[1]) result_.ok_members.push_back(static_cast<long>(members));
    if (result_.times.empty()) refuse_line(table_.path(), 0, "expected a row for every saved time, found none");
  }

  /// Reads the quantiles, inputs and sensitivities from the names of the columns, in their order.
  void name_lists() {
    std::map<std::size_t, std::string> in_order;
    for (const auto& [name, column] : components_.front().columns) in_order[column] = name;
    for (const auto& [column, name] : in_order) {
      if (const auto input = bracketed(name, "correlation")) result_.inputs.push_back(*input);
      if (!name.starts_with('q')) continue;
      if (const auto share = parse_number<double>(std::string_view(name).substr(1))) {
        result_.quantiles.push_back(*share);
        share_names_.push_back(name);
      }
    }
    for (const Component& each : components_) {
      if (each.columns.count("gradient_count") == 0) continue;
      std::map<std::size_t, std::string> along;
      for (const auto& [name, column] : each.columns) {
        for (const char* kind : {"mean_gradient", "variance_gradient"}) {
          const auto to = bracketed(name, kind);
          if (to && std::ranges::count(result_.along, *to) == 0) along[column] = *to;
        }
      }
      for (const auto& [column, name] : along) {
        if (std::ranges::count(result_.along, name) == 0) result_.along.push_back(name);
      }
      break;
    }
  }

  void add_field(Field field) {
    std::vector<std::string> names;
    for (const std::size_t i : of_field_) names.push_back(components_[i].name);
    FieldStatistics found;
    found.layout = field_layout(scalars_, field);
    if (found.layout.components != names) {
      found.layout.components = names;
      found.layout.units.assign(names.size(), "");
    }
    found.count = numbers({"count"});
    found.mean = numbers({"mean"});
    found.std = numbers({"std"});
    found.min = numbers({"min"});
    found.max = numbers({"max"});
    found.quantiles = numbers(share_names_);
    const auto along = [&](const std::string& kind, const std::vector<std::string>& to) {
      std::vector<std::string> names;
      for (const std::string& each : to) names.push_back(kind + "[" + each + "]");
      return names;
    };
    found.correlation = numbers(along("correlation", result_.inputs));
    found.gradient_count = numbers({"gradient_count"});
    if (!found.gradient_count.empty()) {
      found.mean_gradient = numbers(along("mean_gradient", result_.along));
      found.variance_gradient = numbers(along("variance_gradient", result_.along));
      found.std_gradient = numbers(along("std_gradient", result_.along));
      std::vector<std::string> of_quantiles;
      for (const std::string& share : share_names_) {
        for (const std::string& name : along(share + "_gradient", result_.along)) of_quantiles.push_back(name);
      }
      found.quantile_gradient = numbers(of_quantiles);
    }
    result_.fields.push_back(std::move(found));
  }

  /// [statistic][time][component]; empty if the field's first component has none of them.
  std::vector<double> numbers(const std::vector<std::string>& statistics) const {
    std::vector<double> values;
    for (const std::string& statistic : statistics) {
      if (components_[of_field_.front()].columns.count(statistic) == 0 && values.empty()) return {};
      std::vector<const std::vector<double>*> columns;
      for (const std::size_t i : of_field_) {
        const auto found = components_[i].columns.find(statistic);
        if (found == components_[i].columns.end()) {
          refuse_line(table_.path(), 1,
                      fmt::format("expected the column {}_{}, as for {}", components_[i].name, statistic,
                                  components_[of_field_.front()].name));
        }
        columns.push_back(&rows_[found->second]);
      }
      for (std::size_t time = 0; time < result_.times.size(); ++time) {
        for (const auto* column : columns) values.push_back((*column)[time]);
      }
    }
    return values;
  }

  RunTable table_;
  std::vector<Component> components_;
  std::vector<std::vector<double>> rows_;  // [column][time]
  std::vector<std::string> share_names_;   // "q0.05", ...
  SystemInfo scalars_;                     // system with the fields whose units do not depend on it
  std::vector<std::size_t> of_field_;      // components of the current field
  EnsembleStatistics result_;
};

}  // namespace

EnsembleStatistics read_statistics_table(const std::string& path) { return StatisticsTable(path).read(); }

bool is_statistics_table(const std::string& path) {
  const MappedFile file(path);
  return file.bytes().starts_with("time,ok_members");
}

}  // namespace kalaba
