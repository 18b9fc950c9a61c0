#include "scenario/model/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "scenario/document/toml_text.hpp"
#include "scenario/model/written.hpp"
#include "scenario/sampling/csv_column.hpp"

namespace kalaba::text_model {
namespace {

constexpr std::size_t most_rows = 10'000;

/// The unit m in "x [m]", unchanged; empty if there is none.
std::string unit_in(const std::string& name) {
  const auto open = name.find('[');
  if (open == std::string::npos || !name.ends_with(']')) return "";
  return name.substr(open + 1, name.size() - open - 2);
}

std::string listed(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(toml_number(value));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

}  // namespace

Tables::Tables(const std::optional<Node>& stated, std::filesystem::path folder) : folder_(std::move(folder)) {
  if (!stated) return;
  for (const Node& entry : stated->entries()) columns_.emplace(entry.name(), stated_columns(entry));
}

Tables::Columns Tables::stated_columns(const Node& node) {
  if (!node.is_table()) node.expected("{ places = [...], values = [...], units = [\"m\", \"m\"] }");
  refuse_other_keys(node, {"places", "values", "units"});
  const auto needed = [&](const char* key) {
    const auto found = entry_of(node, key);
    if (!found) node.fail(fmt::format("{} is missing; add {} = [...]", key, key));
    return *found;
  };
  Columns columns;
  const Node places = needed("places");
  const Node values = needed("values");
  columns.places = places.numbers();
  columns.values = values.numbers();
  const std::size_t count = columns.places.size();
  if (count < 2 || count > most_rows) {
    places.fail(fmt::format("expected 2 to {} numbers, found {}", most_rows, count));
  }
  for (std::size_t i = 1; i < count; ++i) {
    if (columns.places[i] > columns.places[i - 1]) continue;
    places.fail(fmt::format("item {}: expected more than {}, the place before, found {}", i + 1, columns.places[i - 1],
                            columns.places[i]));
  }
  if (columns.values.size() != count) {
    values.fail(fmt::format("expected {} numbers, a place each, found {}", count, columns.values.size()));
  }
  if (const auto units = entry_of(node, "units")) {
    const std::vector<std::string> texts = units->texts();
    if (texts.size() != 2) units->fail(fmt::format("expected two units, of places and values, found {}", texts.size()));
    columns.unit_of_places = texts[0];
    columns.unit = texts[1];
  }
  return columns;
}

Tables::Columns Tables::file_columns(const std::string& name, formula::Span at) const {
  const CsvFailure fail = [&](const std::string& message, ExitCode code) {
    formula::Fault fault(message, at);
    fault.code = code;
    throw fault;
  };
  CsvPairs pairs = read_csv_pairs(fail, (folder_ / name).string(), most_rows);
  return {unit_in(pairs.first_name), unit_in(pairs.second_name), std::move(pairs.first), std::move(pairs.second), true};
}

formula::TableMeaning Tables::find(const std::string& name, formula::Interpolation between, formula::Span at,
                                   formula::Units& units) {
  if (const auto found = known_.find({name, between}); found != known_.end()) return found->second;
  if (!columns_.contains(name)) columns_.emplace(name, file_columns(name, at));
  const Columns& columns = columns_.at(name);
  const auto unit_of = [&](const std::string& text) {
    if (text.empty()) return units.fresh();
    try {
      return formula::parse_unit(text);
    } catch (const formula::UnitFault& fault) {
      throw formula::Fault(fmt::format("{}: the unit [{}]: {}", name, text, fault.message), at);
    }
  };
  const auto table = std::make_shared<const formula::Table>(name, between, columns.places, columns.values);
  return known_
      .emplace(std::pair(name, between),
               formula::TableMeaning{table, unit_of(columns.unit_of_places), unit_of(columns.unit)})
      .first->second;
}

std::string Tables::read_files() const {
  std::string text;
  for (const auto& [name, columns] : columns_) {
    if (!columns.is_file) continue;
    const bool has_units = !columns.unit_of_places.empty() || !columns.unit.empty();
    text += fmt::format(
        "{} = {{ places = {}, values = {}{} }}\n", toml_key(name), listed(columns.places), listed(columns.values),
        has_units ? fmt::format(", units = [{}, {}]", toml_string(columns.unit_of_places), toml_string(columns.unit))
                  : "");
  }
  return text;
}

}  // namespace kalaba::text_model
