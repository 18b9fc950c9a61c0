#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "kalaba/core/base/part.hpp"
#include "kalaba/core/events/event.hpp"
#include "kalaba/core/model/status.hpp"
#include "kalaba/fields.hpp"

namespace kalaba {

/// Consecutive members of an ensemble, as a structure of arrays with the member fastest:
///
///     q:  | q0 of member 0, 1, 2, ... pad | q1 of member 0, 1, 2, ... pad | ...
///            <-------- stride -------->
///
/// `stride` is `members` rounded up to `padding` so that SIMD backends read whole packs of members, and by one padding
/// more where it were a multiple of a page. The variables of a swarm are [coordinate][agent] and its padding is 1,
/// because its packs are of agents.
struct Block {
  static constexpr long alignment = 64;

  Block(int parameter_count, int coordinate_count, int rate_count, long capacity, long padding = alignment,
        int event_count = 0, int column_count = 0, bool has_clocks = false);

  /// Assigns members first_member … first_member + member_count - 1 (at most the capacity); every one starts as `ok`.
  void assign(long first_member, long member_count);

  std::span<double> parameter(int i) { return row(parameters, i); }
  std::span<double> coordinate(int i) { return row(q, i); }
  std::span<double> rate(int i) { return row(w, i); }
  EventRows event_rows() const { return {coordinate_count, rate_count, column_count}; }

  int parameter_count = 0;
  int coordinate_count = 0;
  int rate_count = 0;
  int event_count = 0;
  int column_count = 0;  ///< of sensitivities
  bool has_clocks = false;
  long padding = alignment;
  long first = 0;                         ///< index of the block's first member in the ensemble
  long members = 0;                       ///< members in use
  long stride = 0;                        ///< distance between two variables of one member
  std::vector<double> parameters;         ///< [parameter][stride], with the discrete variables as they are now
  std::vector<double> q;                  ///< [coordinate][stride]
  std::vector<double> w;                  ///< [rate][stride]
  std::vector<Status> status;             ///< [stride]
  std::vector<double> failure_time;       ///< [stride], s; NaN while ok
  std::vector<double> rank_changes;       ///< [stride], number of changes of the rank of A between steps
  std::vector<double> singular_passages;  ///< [stride], number of approaches to a singular position
  std::vector<double> svd_stages;         ///< [stride], stages at which ldlt fell back to the SVD
  std::vector<double> accepted;           ///< [stride], accepted steps of an adaptive integrator; else 0
  std::vector<double> rejected;           ///< [stride], rejected steps, which it repeated with a smaller size
  std::vector<double> stiff_steps;  ///< [stride], steps that stability limited (core/methods/stiffness.hpp counts them)
  std::vector<double> events;       ///< [row][stride], rows in the order of event_rows(); empty without events
  std::vector<double> backend_state;  ///< state of the backend between calls (warm starts)
  long under_way = 0;                 ///< steps made in a call of Runner::advance that returned early; else 0

 private:
  std::span<double> row(std::vector<double>& values, int i) {
    return {values.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(stride),
            static_cast<std::size_t>(members)};
  }
};

/// Counter of each member of a block. Blocks, backends, checkpoints and files read the table of the counters.
struct BlockCounter {
  std::vector<double> Block::*values;
  Part part;                      ///< part of a backend's state that contains it
  int row = 0;                    ///< its row in Part::persistent, after those of KeptColumns::leading_rows
  const char* name = nullptr;     ///< name of its variable in files; null if files do not contain it
  const char* meaning = nullptr;  ///< description of that variable

  /// Returns true if adaptive integrators alone increment it.
  constexpr bool is_adaptive() const { return part == Part::persistent; }
};

// clang-format off
inline constexpr std::array<BlockCounter, 6> block_counters = {{
    {&Block::rank_changes, Part::rank_changes, 0, "rank_changes", "times the rank of the constraint matrix changed"},
    {&Block::singular_passages, Part::singular_passages, 0,
     "singular_passages", "times a member came near a singular position"},
    {&Block::svd_stages, Part::svd_stages},
    {&Block::accepted, Part::persistent, 0, "accepted_steps", "steps that the integrator made"},
    {&Block::rejected, Part::persistent, 1,
     "rejected_steps", "steps that the integrator tried and made again shorter"},
    {&Block::stiff_steps, Part::persistent, 2},
}};
// clang-format on

/// Requested fields of a block at one instant; [component][stride], empty if not requested.
struct Observation {
  std::array<std::vector<double>, field_count> values;
  std::vector<Status> status;  ///< [stride], at that instant
};

}  // namespace kalaba
