#pragma once

#include <algorithm>
#include <type_traits>
#include <variant>

#include "kalaba/run.hpp"

namespace kalaba {

/// Number of a run's Summary that the parts of a run have too. netCDF files, checkpoints and JSON contain each, and a
/// merge joins those of the shards.
struct OutcomeFigure {
  const char* name;  ///< in files and JSON
  std::variant<long Summary::*, double Summary::*> member;
  bool is_count = true;     ///< an integer in files
  bool is_maximum = false;  ///< joined by the maximum, not by the sum

  double of(const Summary& summary) const {
    return std::visit([&](auto place) { return static_cast<double>(summary.*place); }, member);
  }
  void set(Summary& summary, double value) const {
    std::visit([&](auto place) { summary.*place = static_cast<std::decay_t<decltype(summary.*place)>>(value); },
               member);
  }
  void join(Summary& sum, const Summary& part) const {
    set(sum, is_maximum ? std::max(of(sum), of(part)) : of(sum) + of(part));
  }
};

inline constexpr OutcomeFigure outcome_figures[] = {{"member_steps", &Summary::member_steps},
                                                    {"rejected_steps", &Summary::rejected_steps},
                                                    {"members_with_rank_changes", &Summary::rank_changes},
                                                    {"members_with_singular_passages", &Summary::singular_passages},
                                                    {"members_with_svd_stages", &Summary::members_by_svd},
                                                    {"svd_stages", &Summary::svd_stages},
                                                    {"stiff_members", &Summary::stiff},
                                                    {"members_off_at_start", &Summary::starts_off},
                                                    {"members_off_constraints", &Summary::drifting},
                                                    {"members_nearly_dependent", &Summary::nearly_dependent},
                                                    {"members_without_derivatives", &Summary::without_derivatives},
                                                    {"worst_violation", &Summary::worst_violation, false, true},
                                                    {"worst_residual", &Summary::worst_residual, false, true},
                                                    {"wall_seconds", &Summary::seconds, false}};

}  // namespace kalaba
