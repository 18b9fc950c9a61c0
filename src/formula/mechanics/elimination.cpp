#include "formula/mechanics/elimination.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace kalaba::formula {
namespace {

using Neighbours = std::vector<std::set<int>>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Rows are neighbours where they share a column.
Neighbours neighbours_of(const RowPattern& rows) {
  Neighbours all(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      std::vector<int> shared;
      std::ranges::set_intersection(rows[i], rows[j], std::back_inserter(shared));
      if (shared.empty()) continue;
      all[i].insert(static_cast<int>(j));
      all[j].insert(static_cast<int>(i));
    }
  }
  return all;
}

/// The most rows that share a column with one row, itself included.
int coupled_rows(const RowPattern& rows) {
  std::size_t most = 0;
  for (const auto& others : neighbours_of(rows)) most = std::max(most, others.size() + 1);
  return static_cast<int>(most);
}

std::vector<int> as_they_stand(const Neighbours& all) {
  std::vector<int> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// The row with the fewest neighbours goes next, and makes neighbours of all that it had.
std::vector<int> minimum_degree(Neighbours all) {
  std::vector<int> left = as_they_stand(all);
  std::vector<int> order;
  while (!left.empty()) {
    const auto next = std::ranges::min_element(left, {}, [&](int i) { return all[at(i)].size(); });
    const int row = *next;
    left.erase(next);
    order.push_back(row);
    for (const int i : all[at(row)]) {
      all[at(i)].erase(row);
      for (const int j : all[at(row)]) {
        if (i != j) all[at(i)].insert(j);
      }
    }
  }
  return order;
}

/// Order of reverse Cuthill and McKee: breadth first from the row that a first search reaches last, rows with few
/// neighbours first, and then reversed.
std::vector<int> reverse_cuthill_mckee(const Neighbours& all) {
  std::vector<int> order;
  std::vector<bool> seen(all.size());
  const auto spread_from = [&](int root, std::vector<bool>& marked) {
    std::vector<int> queue = {root};
    marked[at(root)] = true;
    for (std::size_t k = 0; k < queue.size(); ++k) {
      std::vector<int> next;
      for (const int j : all[at(queue[k])]) {
        if (!marked[at(j)]) next.push_back(j);
      }
      std::ranges::stable_sort(next, {}, [&](int j) { return all[at(j)].size(); });
      for (const int j : next) marked[at(j)] = true;
      queue.insert(queue.end(), next.begin(), next.end());
    }
    return queue;
  };
  for (int root = 0; root < static_cast<int>(all.size()); ++root) {
    if (seen[at(root)]) continue;
    std::vector<bool> trial = seen;
    const std::vector<int> part = spread_from(spread_from(root, trial).back(), seen);
    order.insert(order.end(), part.begin(), part.end());
  }
  std::ranges::reverse(order);
  return order;
}

Elimination envelope_of(const Neighbours& all, std::vector<int> order) {
  std::vector<int> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[at(order[i])] = static_cast<int>(i);
  Elimination result = {std::move(order), {}};
  for (std::size_t i = 0; i < place.size(); ++i) {
    int first = static_cast<int>(i);
    for (const int j : all[at(result.order[i])]) first = std::min(first, place[at(j)]);
    result.first.push_back(first);
  }
  return result;
}

std::string table_text(const std::string& name, const std::string& argument, const std::vector<int>& values) {
  std::string list;
  for (const int value : values) list += (list.empty() ? "" : ", ") + std::to_string(value);
  if (list.empty()) list = "0";  // no entry at all, and no array of none
  return "    KALABA_FN static int " + name + "(int " + argument + ") {\n      static constexpr int table[] = {" +
         list + "};\n      return table[" + argument + "];\n    }\n";
}

}  // namespace

RowPattern pattern_of(const Graph& graph, const Matrix& matrix, int rows) {
  RowPattern pattern(at(rows));
  for (int r = 0; r < rows; ++r) {
    for (int j = 0; j < matrix.cols; ++j) {
      if (!graph.is_number(matrix(r, j), 0)) pattern[at(r)].push_back(j);
    }
  }
  return pattern;
}

RowPattern factor_pattern(const Graph& graph, const Terms& terms) {
  const auto n = static_cast<int>(terms.force.size());
  std::vector<std::vector<char>> has(at(n), std::vector<char>(at(n), 0));
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      has[at(i)][at(j)] = graph.is_number(terms.metric_entry(j, i), 0) ? 0 : 1;
    }
  }
  for (int k = n - 1; k >= 0; --k) {  // fill-in: rows that share column k are coupled
    for (int i = 0; i < k; ++i) {
      for (int j = i + 1; j < k && has[at(i)][at(k)] != 0; ++j) {
        if (has[at(j)][at(k)] != 0) has[at(i)][at(j)] = 1;
      }
    }
  }
  for (int i = n - 1; i >= 0; --i) {  // the rows behind are closed already
    for (int j = i + 1; j < n; ++j) {
      for (int k = j + 1; k < n && has[at(i)][at(j)] != 0; ++k) {
        if (has[at(j)][at(k)] != 0) has[at(i)][at(k)] = 1;
      }
    }
  }
  RowPattern pattern(at(n));
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      if (has[at(i)][at(j)] != 0) pattern[at(i)].push_back(j);
    }
  }
  return pattern;
}

RowPattern weighted_pattern(const RowPattern& rows, const RowPattern& factor) {
  RowPattern pattern;
  for (const std::vector<int>& row : rows) {
    std::vector<char> has(factor.size(), 0);
    for (const int j : row) has[at(j)] = 1;
    // x = F^-1 a is computed from its last number to its first: x_i needs those of row i of F.
    for (int i = static_cast<int>(factor.size()) - 1; i >= 0; --i) {
      if (std::ranges::any_of(factor[at(i)], [&](int k) { return has[at(k)] != 0; })) has[at(i)] = 1;
    }
    std::vector<int>& entries = pattern.emplace_back();
    for (int i = 0; i < static_cast<int>(factor.size()); ++i) {
      if (has[at(i)] != 0) entries.push_back(i);
    }
  }
  return pattern;
}

int count_of(const RowPattern& rows) {
  return std::accumulate(rows.begin(), rows.end(), 0,
                         [](int sum, const auto& row) { return sum + static_cast<int>(row.size()); });
}

long Elimination::cost() const {
  long sum = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const long width = static_cast<long>(i) - first[i];
    sum += width * (width + 3);
  }
  return sum;
}

Elimination eliminate(const RowPattern& rows) {
  const Neighbours all = neighbours_of(rows);
  Elimination best = envelope_of(all, as_they_stand(all));
  for (const auto& order : {reverse_cuthill_mckee(all), minimum_degree(all)}) {
    Elimination other = envelope_of(all, order);
    if (other.cost() < best.cost()) best = std::move(other);
  }
  return best;
}

RowPlan row_plan(const RowPattern& rows) {
  const Elimination elimination = eliminate(rows);
  const int count = static_cast<int>(rows.size());
  RowPlan plan = {.rows = count,
                  .begin = {0},
                  .column = {},
                  .order = elimination.order,
                  .first = elimination.first,
                  .last = std::vector<int>(rows.size()),
                  .start = {0}};
  for (const auto& row : rows) {
    plan.column.insert(plan.column.end(), row.begin(), row.end());
    plan.begin.push_back(static_cast<int>(plan.column.size()));
  }
  for (int i = 0; i < count; ++i) {
    plan.start.push_back(plan.start.back() + i - plan.first[at(i)]);
    for (int j = plan.first[at(i)]; j <= i; ++j) plan.last[at(j)] = i;
  }
  return plan;
}

std::string pattern_text(const std::string& name, const RowPattern& rows, int columns) {
  const RowPlan plan = row_plan(rows);
  return "\n  struct " + name +
         " {\n    static constexpr bool dense = false;\n    static constexpr int rows = " + std::to_string(plan.rows) +
         ";\n    static constexpr int cols = " + std::to_string(columns) +
         ";\n    static constexpr int count = " + std::to_string(plan.column.size()) +
         ";\n    static constexpr int envelope = " + std::to_string(plan.start.back()) +
         ";\n    static constexpr int coupled = " + std::to_string(coupled_rows(rows)) + ";\n" +
         table_text("begin", "r", plan.begin) + table_text("column", "k", plan.column) +
         table_text("order", "i", plan.order) + table_text("first", "i", plan.first) +
         table_text("last", "j", plan.last) + table_text("start", "i", plan.start) + "  };\n";
}

}  // namespace kalaba::formula
