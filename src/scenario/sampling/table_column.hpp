#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// A column of a table in a file.
struct TableColumn {
  std::string name;
  std::vector<double> values;  ///< one per row, finite
  std::string note = {};       ///< remark on the values for the user; "": none
  bool is_state = false;       ///< final states of the members of an earlier run
};

}  // namespace kalaba
