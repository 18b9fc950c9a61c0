#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// A column of a table in a file.
struct TableColumn {
  std::string name;
  std::vector<double> values;  ///< one a row, finite
  std::string note = {};       ///< what to know of them; "" where there is nothing
};

}  // namespace kalaba
