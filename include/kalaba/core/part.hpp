#pragma once

namespace kalaba {

/// What a batch keeps of its members between calls: groups of rows, a number a member each.
enum class Part : int {
  parameters,
  q,
  w,
  rank_changes,
  singular_passages,
  svd_stages,
  rank,        ///< of A at the last step, -1 before the first
  passing,     ///< how fast a singular position comes, see Member
  rotation,    ///< a pseudo-inverse's warm start, where it has one
  persistent,  ///< what an adaptive loop keeps, first its accepted and its rejected steps
  events       ///< rows as EventRows orders them
};
inline constexpr int part_count = 11;

}  // namespace kalaba
