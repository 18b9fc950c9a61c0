#include "report/correlation_tables.hpp"

#include <fmt/format.h>

#include <cmath>

#include "report/html.hpp"
#include "report/panel_text.hpp"
#include "report/shown_components.hpp"

namespace kalaba {
namespace {

using Row = std::vector<std::string>;

std::string cell(double value, const std::string& hover) {
  if (!std::isfinite(value)) return "–";
  return fmt::format("<span class=\"r\" style=\"background: rgb(var(--{}) / {:.2f})\" title=\"{}\">{:.2f}</span>",
                     value < 0 ? "negative" : "positive", 0.55 * std::abs(value), hover, value);
}

}  // namespace

std::string correlation_table(const Sensitivity& data) {
  if (data.inputs.empty() || data.outputs.empty()) return "";
  Row heading = {"at the last saved time"};
  for (const MemberColumn& input : data.inputs) heading.push_back(html_text(input.name));
  std::vector<Row> rows;
  for (std::size_t output = 0; output < data.outputs.size(); ++output) {
    Row row = {html_text(data.outputs[output].name)};
    for (std::size_t input = 0; input < data.inputs.size(); ++input) {
      const std::size_t at = output * data.inputs.size() + input;
      const double rank = data.rank_correlation[at];
      row.push_back(cell(rank, fmt::format("Pearson {:.3f}, Spearman {:.3f}", data.correlation[at], rank)));
    }
    rows.push_back(std::move(row));
  }
  return html_table(heading, rows, 1);
}

std::string correlation_table(const EnsembleStatistics& statistics) {
  if (statistics.inputs.empty() || statistics.times.empty()) return "";
  Row heading = {"at the last saved time"};
  for (const std::string& input : statistics.inputs) heading.push_back(html_text(input));
  std::vector<Row> rows;
  for (const FieldStatistics& field : statistics.fields) {
    if (field.correlation.empty()) continue;
    const std::size_t components = field.layout.size();
    for (const ShownComponent& shown : shown_components(field.layout)) {
      Row row = {html_text(axis_label(shown.column))};
      for (std::size_t input = 0; input < statistics.inputs.size(); ++input) {
        const double value = field.correlation[(input + 1) * field.count.size() - components + shown.place];
        row.push_back(cell(value, fmt::format("{:.6f}", value)));
      }
      rows.push_back(std::move(row));
    }
  }
  return rows.empty() ? "" : html_table(heading, rows, 1);
}

}  // namespace kalaba
