#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// The names of a table's entries, in its order.
template <class Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& each : table) names.emplace_back(each.name);
  return names;
}

}  // namespace kalaba
