#include "report/page/sobol_panels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/figure/gnuplot.hpp"
#include "report/figure/page.hpp"
#include "report/figure/panel_text.hpp"
#include "report/figure/sensitivity_panels.hpp"
#include "report/page/correlation_tables.hpp"
#include "report/text/html.hpp"
#include "report/text/text.hpp"

namespace kalaba {
namespace {

using Row = std::vector<std::string>;

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

/// Inputs with the largest total indices, in descending order.
std::vector<std::size_t> strongest(const Sensitivity& data, std::size_t output) {
  std::vector<std::size_t> order(data.drawn.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return data.sobol[output].total[i].share; });
  order.resize(sobol_bars(data));
  return order;
}

}  // namespace

std::string sobol_table(const Sensitivity& data) {
  if (data.sobol.empty()) return "";
  Row heading = {"", "order", "points"};
  for (const std::string& input : data.drawn) heading.push_back(html_text(input));
  heading.emplace_back("sum");
  std::vector<Row> rows;
  for (std::size_t output = 0; output < data.outputs.size(); ++output) {
    const MemberColumn& column = data.outputs[output];
    const SobolIndices& indices = data.sobol[output];
    rows.push_back(
        row_of(html_text(axis_label({column.name, column.unit, Field::q, 0})), "first", indices, indices.first));
    rows.push_back(row_of("", "total", indices, indices.total));
  }
  return html_table(heading, rows, 2);
}

std::size_t sobol_bars(const Sensitivity& data) { return std::min(data.drawn.size(), most_bars); }

std::string sobol_panel(const Sensitivity& data, std::size_t output) {
  const std::string labels = labels_text(data.outputs[output].name, "share of its variance", "");
  if (!std::isfinite(data.sobol[output].total.front().share)) {
    return labels + "unset tics\nset border 0\n" + range_text('x', {}) + range_text('y', {}) +
           empty_panel("no point has a value of every member");
  }
  DataBlock block("$indices");
  std::vector<std::string> names;
  double high = 1;
  double low = 0;
  const std::vector<std::size_t> inputs = strongest(data, output);
  double place = static_cast<double>(inputs.size());
  for (const std::size_t input : inputs) {
    place -= 1;
    names.push_back(data.drawn[input]);
    const SobolIndex& total = data.sobol[output].total[input];
    const SobolIndex& first = data.sobol[output].first[input];
    for (const SobolIndex* index : {&total, &first}) {
      high = std::fmax(high, index->share + index->reach());
      low = std::fmin(low, index->share - index->reach());
    }
    block.add_row({total.share, place, total.share - total.reach(), total.share + total.reach(), first.share,
                   first.share - first.reach(), first.share + first.reach()});
  }
  const char* const light = color::curves[0];
  return labels + range_text('x', {low, 1.02 * high}) +
         range_text('y', {-0.7, static_cast<double>(inputs.size()) - 0.3}) + bar_names(names) +
         "set xtics 0,0.25,1\nset format x '%.2g'\n" + block.text() +
         fmt::format(
             "plot $indices using (0.5*$1):2:(0):1:($2-0.36):($2+0.36) with boxxyerror fs solid 0.35 noborder fc rgb "
             "'{0}' notitle, '' using (0.5*$5):2:(0):5:($2-0.2):($2+0.2) with boxxyerror fs solid noborder fc rgb "
             "'{0}' notitle, '' using 1:($2+0.28):3:4 with xerrorbars pt 0 lw 1.2 lc rgb '{1}' notitle, '' using "
             "5:2:6:7 with xerrorbars pt 0 lw 1.2 lc rgb '{1}' notitle\n",
             light, color::ink);
}

}  // namespace kalaba
