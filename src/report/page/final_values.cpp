#include "report/page/final_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "report/data/member_numbers.hpp"
#include "report/data/shown_statistics.hpp"
#include "report/data/statistics.hpp"
#include "report/figure/panel_text.hpp"
#include "report/text/html.hpp"
#include "report/text/text.hpp"

namespace kalaba {
namespace {

using Row = std::vector<std::string>;

constexpr std::array shares = {0.05, 0.5, 0.95};

std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.5g}", value) : "–"; }

/// Row of one column over the members; variance divided by the count, as NumPy's default.
Row row_of(const Column& column, std::span<const double> members) {
  std::vector<double> finite = finite_values(members);
  Row row = {html_text(axis_label(column)), grouped(static_cast<long>(finite.size()))};
  if (finite.empty()) return {row[0], row[1], "–", "–", "–", "–", "–", "–", "–"};
  const auto count = static_cast<double>(finite.size());
  const double mean = std::accumulate(finite.begin(), finite.end(), 0.0) / count;
  double squares = 0;
  for (const double value : finite) squares += (value - mean) * (value - mean);
  const auto [low, high] = std::ranges::minmax(finite);
  const std::vector<double> middle = quantiles(finite, shares);
  for (const double value : {mean, std::sqrt(squares / count), low, middle[0], middle[1], middle[2], high}) {
    row.push_back(number(value));
  }
  return row;
}

std::string table_of_sample(const MemberSample& members) {
  const Contents& contents = members.contents();
  std::vector<Row> rows;
  for (std::size_t i = 0; i < contents.columns.size(); ++i) {
    const auto values = members.values({i}, static_cast<long>(contents.times.size()) - 1);
    rows.push_back(row_of(contents.columns[i], values.front()));
  }
  return html_table({"", contents.agents ? "agents" : "members", "mean", "std", "min", "5 %", "median", "95 %", "max"},
                    rows, 1);
}

std::string table_of_statistics(const EnsembleStatistics& statistics) {
  std::vector<Row> rows;
  Row heading = {"", "members", "mean", "std", "min"};
  for (const double share : statistics.quantiles) heading.push_back(fmt::format("{:.4g} %", 100 * share));
  heading.emplace_back("max");
  for (const FieldStatistics& field : statistics.fields) {
    const std::size_t last = (statistics.times.size() - 1) * field.layout.size();
    for (const ShownComponent& shown : shown_components(field.layout)) {
      const std::size_t place = last + shown.place;
      const auto cell = [&](const std::vector<double>& values, std::size_t at) {
        return values.empty() ? std::string("–") : number(values[at]);
      };
      Row row = {html_text(axis_label(shown.column)), grouped(static_cast<long>(field.count[place]))};
      for (const auto* values : {&field.mean, &field.std, &field.min}) row.push_back(cell(*values, place));
      for (std::size_t share = 0; share < statistics.quantiles.size(); ++share) {
        row.push_back(cell(field.quantiles, share * field.count.size() + place));
      }
      row.push_back(cell(field.max, place));
      rows.push_back(std::move(row));
    }
  }
  return html_table(heading, rows, 1);
}

}  // namespace

std::string final_values(const MemberSample& members, const EnsembleStatistics& statistics) {
  if (!statistics.fields.empty() && !statistics.times.empty()) return table_of_statistics(statistics);
  if (members.contents().columns.empty() || members.contents().times.empty()) return "";
  return table_of_sample(members);
}

std::string event_values(const MemberSample& members) {
  const FileVariable* states = members.archive().inventory().find("event_q");
  if (members.contents().agents || states == nullptr) return "";
  const SystemInfo system = members.archive().labels();
  std::vector<Row> rows;
  for (const std::string& event : members.archive().texts("event")) {
    for (const auto* variables : {&system.coordinates, &system.rates}) {
      for (const Variable& each : *variables) {
        const MemberColumn values = member_number(members, each.name + "@" + event);
        if (finite_values(values.values).empty()) continue;
        rows.push_back(row_of({values.name, values.unit, Field::q, 0}, values.values));
      }
    }
  }
  return html_table({"", "members", "mean", "std", "min", "5 %", "median", "95 %", "max"}, rows, 1);
}

}  // namespace kalaba
