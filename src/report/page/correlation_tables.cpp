#include "report/page/correlation_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/data/shown_statistics.hpp"
#include "report/figure/panel_text.hpp"
#include "report/figure/sensitivity_panels.hpp"
#include "report/text/html.hpp"
#include "report/text/text.hpp"

namespace kalaba {
namespace {

using Row = std::vector<std::string>;

/// A table cell, darker with increasing `strength` in 0 ... 1.
std::string shaded(double strength, bool negative, const std::string& hover, const std::string& text) {
  return fmt::format("<span class=\"r\" style=\"background: rgb(var(--{}) / {:.2f})\" title=\"{}\">{}</span>",
                     negative ? "negative" : "positive", 0.55 * strength, hover, text);
}

std::string cell(double value, const std::string& hover) {
  if (!std::isfinite(value)) return "–";
  return shaded(std::abs(value), value < 0, hover, fmt::format("{:.2f}", value));
}

/// Text of a share with its sign: "93 % rises".
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

/// Text of an effect: "-0.2 … +0.3".
std::string effect_cell(const Sensitivity& data, std::size_t output, std::size_t input) {
  const Effect& effect = data.effects[data.at(output, input)];
  if (!std::isfinite(effect.low) || data.strength(output, input) == 0) return "–";
  return shaded(data.strength(output, input), false, "least and greatest change from the first member",
                fmt::format("{:.3g} … {:+.3g}", effect.low, effect.high));
}

std::string spread_cell(double mean, double std) {
  if (!std::isfinite(mean)) return "–";
  return shaded(std::min(std::abs(mean), 1.0), mean < 0, "mean and standard deviation over the members",
                fmt::format("{:+.3g} ± {:.2g}", mean, std));
}

std::string index_cell(const SobolIndex& index) {
  if (!std::isfinite(index.share)) return "–";
  const std::string interval = std::isfinite(index.error) ? fmt::format(" ± {:.3f}", index.reach()) : "";
  return shaded(std::clamp(index.share, 0.0, 1.0), false, "95 % of such intervals hold it",
                fmt::format("{:.3f}{}", index.share, interval));
}

Row row_of(const std::string& output, const char* order, const SobolIndices& of, const std::vector<SobolIndex>& all) {
  Row row = {output, order, grouped(of.points)};
  if (of.left_out > 0) row.back() += " of " + grouped(of.points + of.left_out);
  double sum = 0;
  for (const SobolIndex& index : all) {
    row.push_back(index_cell(index));
    sum += index.share;
  }
  row.push_back(std::isfinite(sum) ? fmt::format("{:.3f}", sum) : "–");
  return row;
}

}  // namespace

std::string sensitivity_table(const Sensitivity& data) {
  if (data.inputs.empty() || data.outputs.empty()) return "";
  Row heading = {"", "members"};
  for (const MemberColumn& input : data.inputs) heading.push_back(html_text(input.name));
  std::vector<Row> rows;
  for (std::size_t output = 0; output < data.outputs.size(); ++output) {
    const MemberColumn& column = data.outputs[output];
    Row row = {html_text(axis_label(column.name, column.unit)), grouped(data.members[output])};
    for (std::size_t input = 0; input < data.inputs.size(); ++input) {
      row.push_back(data.spread == Spread::one_at_a_time ? effect_cell(data, output, input)
                                                         : share_cell(data, output, input));
    }
    rows.push_back(std::move(row));
  }
  return html_table(heading, rows, 1);
}

std::string local_table(const LocalIndices& data) {
  if (data.outputs.empty()) return "";
  Row heading = {"", "scaled by"};
  for (const std::string& each : data.along) heading.push_back(html_text(each));
  std::vector<Row> rows;
  for (std::size_t output = 0; output < data.outputs.size(); ++output) {
    const MemberColumn& column = data.outputs[output];
    Row spreads = {html_text(axis_label(column.name, column.unit)), "spreads"};
    Row values = {"", "values"};
    for (std::size_t i = 0; i < data.along.size(); ++i) {
      const LocalIndex& index = data.at(output, i);
      spreads.push_back(spread_cell(index.by_spread, index.by_spread_std));
      values.push_back(spread_cell(index.elasticity, index.elasticity_std));
    }
    rows.push_back(std::move(spreads));
    rows.push_back(std::move(values));
  }
  return html_table(heading, rows, 2);
}

std::string gradient_table(const EnsembleStatistics& statistics) {
  const std::vector<StatisticGradient> gradients = final_gradients(statistics);
  if (gradients.empty()) return "";
  Row heading = {"at the last saved time", "gradient of"};
  for (const std::string& each : statistics.along) heading.push_back(html_text(each));
  std::vector<Row> rows;
  for (const StatisticGradient& each : gradients) {
    Row row = {html_text(axis_label(each.column)), each.statistic};
    for (const double value : each.along) row.push_back(std::isfinite(value) ? fmt::format("{:+.4g}", value) : "–");
    rows.push_back(std::move(row));
  }
  return html_table(heading, rows, 2);
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

std::string sobol_table(const Sensitivity& data) {
  if (data.sobol.empty()) return "";
  Row heading = {"", "order", "points"};
  for (const std::string& input : data.drawn) heading.push_back(html_text(input));
  heading.emplace_back("sum");
  std::vector<Row> rows;
  for (std::size_t output = 0; output < data.outputs.size(); ++output) {
    const MemberColumn& column = data.outputs[output];
    const SobolIndices& indices = data.sobol[output];
    rows.push_back(row_of(html_text(axis_label(column.name, column.unit)), "first", indices, indices.first));
    rows.push_back(row_of("", "total", indices, indices.total));
  }
  return html_table(heading, rows, 2);
}

}  // namespace kalaba
