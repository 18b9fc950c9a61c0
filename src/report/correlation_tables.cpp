#include "report/correlation_tables.hpp"

#include <fmt/format.h>

#include <cmath>

#include "report/html.hpp"
#include "report/panel_text.hpp"
#include "report/sensitivity_panels.hpp"
#include "report/shown_components.hpp"
#include "report/text.hpp"

namespace kalaba {
namespace {

using Row = std::vector<std::string>;

std::string cell(double value, const std::string& hover) {
  if (!std::isfinite(value)) return "–";
  return fmt::format("<span class=\"r\" style=\"background: rgb(var(--{}) / {:.2f})\" title=\"{}\">{:.2f}</span>",
                     value < 0 ? "negative" : "positive", 0.55 * std::abs(value), hover, value);
}

std::string shaded(double strength, bool negative, const std::string& hover, const std::string& text) {
  return fmt::format("<span class=\"r\" style=\"background: rgb(var(--{}) / {:.2f})\" title=\"{}\">{}</span>",
                     negative ? "negative" : "positive", 0.55 * strength, hover, text);
}

/// "93 % rises"
std::string share_cell(const Sensitivity& data, std::size_t output, std::size_t input) {
  const std::size_t pair = data.at(output, input);
  const double rank = data.rank_correlation[pair];
  const double share = data.share[pair];
  if (std::isnan(share))
    return cell(rank, fmt::format("Pearson {:.3f}, Spearman {:.3f}", data.correlation[pair], rank));
  const std::string hover = fmt::format("share {:.3f}, by chance up to {:.3f}; Pearson {:.3f}, Spearman {:.3f}", share,
                                        data.chance[pair], data.correlation[pair], rank);
  const double strength = data.strength(output, input);
  if (strength == 0) return fmt::format("<span class=\"r\" title=\"{}\">chance</span>", hover);
  return shaded(strength, rank < 0, hover, fmt::format("{:.0f} % {}", 100 * share, direction_of(data, output, input)));
}

/// "-0.2 … +0.3"
std::string effect_cell(const Sensitivity& data, std::size_t output, std::size_t input) {
  const Effect& effect = data.effects[data.at(output, input)];
  if (!std::isfinite(effect.low) || data.strength(output, input) == 0) return "–";
  return shaded(data.strength(output, input), false, "least and greatest change from the first member",
                fmt::format("{:.3g} … {:+.3g}", effect.low, effect.high));
}

}  // namespace

std::string sensitivity_table(const Sensitivity& data) {
  if (data.inputs.empty() || data.outputs.empty()) return "";
  Row heading = {"", "members"};
  for (const MemberColumn& input : data.inputs) heading.push_back(html_text(input.name));
  std::vector<Row> rows;
  for (std::size_t output = 0; output < data.outputs.size(); ++output) {
    const MemberColumn& column = data.outputs[output];
    Row row = {html_text(axis_label({column.name, column.unit, Field::q, 0})), grouped(data.members[output])};
    for (std::size_t input = 0; input < data.inputs.size(); ++input) {
      row.push_back(data.spread == Spread::one_at_a_time ? effect_cell(data, output, input)
                                                         : share_cell(data, output, input));
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
