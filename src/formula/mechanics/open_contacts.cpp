#include "formula/mechanics/open_contacts.hpp"

#include <algorithm>

#include "formula/graph/term_sums.hpp"
#include "formula/graph/traverse.hpp"

namespace kalaba::formula {
namespace {

/// Exchanges the discrete variables of contacts for their values while these are open.
std::map<Id, Id> modes_of_open_contacts(Graph& graph, const Terms& terms) {
  std::map<Id, Id> open;
  for (const ContactRows& each : terms.contacts) {
    for (const int variable : {each.mode, each.sticks, each.slides}) {
      if (variable >= 0) open[graph.symbol(Op::parameter, variable)] = graph.number(0);
    }
  }
  return open;
}

/// Returns the rows of A that remain without those of contacts.
std::vector<int> other_rows(const Terms& terms) {
  std::vector<int> rows;
  for (int row = 0; row < terms.A.rows; ++row) {
    const auto is_of = [&](const ContactRows& each) {
      return each.row == row || (each.stick_row <= row && row < each.stick_row + each.stick_rows);
    };
    if (std::ranges::none_of(terms.contacts, is_of)) rows.push_back(row);
  }
  return rows;
}

std::vector<Id> kept(const std::vector<Id>& all, const std::vector<int>& rows, int first) {
  std::vector<Id> result;
  for (const int row : rows) {
    const auto place = static_cast<std::size_t>(row - first);
    if (row >= first && place < all.size()) result.push_back(all[place]);
  }
  return result;
}

Matrix kept_rows(const Matrix& matrix, const std::vector<int>& rows) {
  Matrix result{0, matrix.cols, {}};
  for (const int row : rows) {
    if (row >= matrix.rows) continue;
    for (int j = 0; j < matrix.cols; ++j) result.entries.push_back(matrix(row, j));
    ++result.rows;
  }
  return result;
}

}  // namespace

Terms open_terms(Graph& graph, const Terms& terms) {
  const std::vector<int> rows = other_rows(terms);
  const auto positions = static_cast<int>(terms.phi.size());
  Terms open = terms;
  open.contacts.clear();
  open.invariants.clear();
  open.reactions.clear();
  open.energy.reset();
  open.non_ideal.clear();  // the friction of contacts: models with other non-ideal forces have no contacts
  open.phi = kept(terms.phi, rows, 0);
  open.phi_dot = kept(terms.phi_dot, rows, 0);
  open.psi = kept(terms.psi, rows, positions);
  open.b = kept(terms.b, rows, 0);
  open.A = kept_rows(terms.A, rows);
  open.unreached = kept_rows(terms.unreached, rows);

  const std::map<Id, Id> exchanged = modes_of_open_contacts(graph, terms);
  for (auto* part : {&open.velocity, &open.metric, &open.inverse_root, &open.force, &open.phi, &open.phi_dot, &open.psi,
                     &open.b, &open.A.entries, &open.unreached.entries, &open.velocity_jacobian.entries}) {
    *part = substitute(graph, *part, exchanged);
  }
  if (open.valid) open.valid = substitute(graph, *open.valid, exchanged);
  return open;
}

ContactValues contact_values(Graph& graph, const Terms& terms) {
  std::map<Id, Id> closed;
  for (const ContactRows& each : terms.contacts) {
    closed[graph.symbol(Op::parameter, each.mode)] = graph.number(1);
  }
  std::vector<Id> gaps;
  for (const auto* rows : {&terms.phi, &terms.phi_dot}) {
    for (const ContactRows& each : terms.contacts) {
      gaps.push_back(substitute(graph, (*rows)[static_cast<std::size_t>(each.row)], closed));
    }
  }
  return {gaps, term_sums(graph, gaps)};
}

}  // namespace kalaba::formula
