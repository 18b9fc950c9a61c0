#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kalaba {

/// The candidate that `word` was probably meant to be: the one within a third of its letters by Damerau-Levenshtein
/// distance (case ignored), else one that contains the word or is contained in it. "" when nothing is close.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean X?" for the nearest word X, or "".
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

/// Names of the entries of a table, in their order.
template <class Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& each : table) names.emplace_back(each.name);
  return names;
}

}  // namespace kalaba
