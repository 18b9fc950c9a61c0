#include "formula/mechanics/single_row.hpp"

#include <algorithm>

#include "formula/graph/gather_factors.hpp"
#include "formula/graph/traverse.hpp"

namespace kalaba::formula {
namespace {

/// Factors are gathered by recursion, as deep as the formulas are; so large a stage gains nothing by a row's shortcut.
constexpr std::size_t most_gathered = 2000;

Id dot(Graph& graph, std::span<const Id> a, std::span<const Id> b) {
  Id sum = graph.number(0);
  for (std::size_t i = 0; i < a.size(); ++i) sum = graph.add(sum, graph.multiply(a[i], b[i]));
  return sum;
}

}  // namespace

std::vector<Id> SingleRow::roots() const {
  std::vector<Id> all = {defect, gram};
  for (const auto* part : {&velocity, &free, &column, &shift, &position, &rate}) {
    all.insert(all.end(), part->begin(), part->end());
  }
  return all;
}

std::optional<SingleRow> single_row(Graph& graph, const Terms& terms) {
  const bool rooted = !terms.inverse_root.empty();
  if (terms.A.rows != 1 || !rooted || terms.actuation.cols > 0 || !terms.non_ideal.empty()) return std::nullopt;
  const auto is_zero = [&](Id id) { return graph.is_number(id, 0); };
  if (std::ranges::all_of(terms.A.entries, is_zero)) return std::nullopt;
  if (reachable(graph, terms.stage()).size() > most_gathered) return std::nullopt;
  FactorGatherer factors(graph);
  const std::vector<Id>& metric = terms.metric;
  const bool uniform = std::ranges::all_of(metric, [&](Id each) { return each == metric[0]; });
  const auto weighted = [&](Id x, std::size_t i) { return graph.divide(x, metric[i]); };
  SingleRow row;
  for (std::size_t i = 0; i < metric.size(); ++i) {
    const Id force = terms.force[i];
    const Id entry = terms.A.entries[i];
    row.free.push_back(terms.formulation == Formulation::hamilton ? force : weighted(force, i));
    row.column.push_back(uniform ? entry : weighted(entry, i));
  }
  row.free = factors.gathered(row.free);
  row.column = factors.gathered(row.column);
  const std::vector<Id> entries = factors.gathered(terms.A.entries);
  row.gram = factors.gathered(dot(graph, entries, row.column));
  row.defect = factors.gathered(graph.subtract(dot(graph, entries, row.free), terms.b[0]));
  row.velocity = factors.gathered(terms.velocity);
  row.position = factors.gathered(terms.phi);
  row.rate = factors.gathered(terms.phi.empty() ? terms.psi : terms.phi_dot);
  if (terms.phi.empty()) return row;
  for (int i = 0; i < terms.velocity_jacobian.rows; ++i) {
    const auto columns = static_cast<std::size_t>(terms.velocity_jacobian.cols);
    const auto of_row =
        std::span(terms.velocity_jacobian.entries).subspan(static_cast<std::size_t>(i) * columns, columns);
    row.shift.push_back(factors.gathered(dot(graph, of_row, row.column)));
  }
  return row;
}

}  // namespace kalaba::formula
