#pragma once

namespace kalaba {

/// Parts of a batch's state between calls: groups of rows, with one number per member in each row.
enum class Part : int {
  parameters,
  q,
  w,
  rank_changes,
  singular_passages,
  svd_stages,
  rank,        ///< of A at the last step, -1 before the first
  approach,    ///< rate of approach to a singular position, see Member
  rotation,    ///< warm start of a pseudo-inverse, if it has one
  persistent,  ///< state of an adaptive loop; first its accepted, its rejected and its stiff steps
  events       ///< rows in the order of EventRows
};
inline constexpr int part_count = 11;

/// The parts from the first to the last of these have one row each.
inline constexpr Part first_single_part = Part::rank_changes;
inline constexpr Part last_single_part = Part::approach;

}  // namespace kalaba
