#pragma once

#include <algorithm>

#include "kalaba/system.hpp"

namespace kalaba::test {

/// Returns true if no size of the system's family in the catalogue is smaller; true for a system of one size.
inline bool is_smallest(const System& system) {
  return std::ranges::none_of(catalogue(), [&](const System& other) {
    return other.info.name == system.info.name && other.info.rates.size() < system.info.rates.size();
  });
}

inline bool is_largest(const System& system) {
  return std::ranges::none_of(catalogue(), [&](const System& other) {
    return other.info.name == system.info.name && other.info.rates.size() > system.info.rates.size();
  });
}

/// Returns true if the system has the size that its name alone selects; true for a system outside the catalogue.
inline bool is_first(const System& system) {
  const auto first =
      std::ranges::find_if(catalogue(), [&](const System& other) { return other.info.name == system.info.name; });
  return first == catalogue().end() || &*first == &system;
}

}  // namespace kalaba::test
