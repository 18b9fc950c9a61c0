#pragma once

#include <string>
#include <vector>

#include "output/base/reader.hpp"

namespace kalaba {

/// Difference of two files in one variable, over all members and the saved times in both.
struct VariableDifference {
  std::string name;
  std::string unit;
  double worst = 0;       ///< largest magnitude of the difference
  long member = -1;       ///< with the worst difference; -1 if there is none
  double time = 0;        ///< of the worst difference, s; NaN for variables with one number per member
  double typical = 0;     ///< root mean square
  double size = 0;        ///< largest magnitude of the first file's values
  double numbers = 0;     ///< numbers that were compared
  double one_sided = 0;   ///< numbers that are finite in one file only
  bool is_error = false;  ///< of the integration itself: residual or violation, whose size is not meaningful

  bool is_same() const { return worst == 0 && one_sided == 0; }
};

struct FileDifference {
  long members = 0;                ///< in both
  std::size_t times = 0;           ///< saved times in both
  std::vector<std::string> notes;  ///< differences between the contents of the files
  std::vector<VariableDifference>
      variables;            ///< in the first file's order: columns, numbers of the members, statistics
  long status_changes = 0;  ///< members with another final status
};

/// Compares the variables of the same name, in pieces of bounded memory. Throws Error if a file cannot be read, and
/// Error(bad_input) if the files have different numbers of members, or no saved time or no variable in common.
FileDifference compare_files(const std::string& one, const std::string& other);

}  // namespace kalaba
