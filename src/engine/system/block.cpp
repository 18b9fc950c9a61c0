#include "kalaba/block.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "kalaba/error.hpp"
#include "kalaba/system.hpp"

namespace kalaba {
namespace {

/// Returns the distance between two variables of a member. It is no multiple of a page: the numbers of a member would
/// lie in the same sets of the caches, which hold fewer than an adaptive integrator keeps.
std::size_t stride_of(long members, long padding) {
  constexpr long page = 512;  // doubles
  const long packs = (std::max(members, 0L) + padding - 1) / padding;
  const bool shares_sets = padding > 1 && packs > 0 && packs * padding % page == 0;
  return static_cast<std::size_t>((packs + (shares_sets ? 1 : 0)) * padding);
}

}  // namespace

Block::Block(int parameter_count, int coordinate_count, int rate_count, long capacity, long padding, int event_count,
             int column_count, bool has_clocks)
    : parameter_count(parameter_count),
      coordinate_count(coordinate_count),
      rate_count(rate_count),
      event_count(event_count),
      column_count(column_count),
      has_clocks(has_clocks),
      padding(padding) {
  const std::size_t lanes = stride_of(capacity, padding);
  parameters.resize(static_cast<std::size_t>(parameter_count) * lanes);
  q.resize(static_cast<std::size_t>(coordinate_count) * lanes);
  w.resize(static_cast<std::size_t>(rate_count) * lanes);
  status.resize(lanes);
  failure_time.resize(lanes);
  events.resize(static_cast<std::size_t>(event_rows().rows(event_count, has_clocks)) * lanes);
  for (const BlockCounter& counter : block_counters) (this->*counter.values).resize(lanes);
  assign(0, 0);
}

void Block::assign(long first_member, long member_count) {
  const std::size_t lanes = stride_of(member_count, padding);
  if (member_count < 0 || lanes > status.size()) {
    throw Error(ExitCode::bad_input, "a block holds 0 to " + std::to_string(status.size()) + " members, not " +
                                         std::to_string(member_count));
  }
  first = first_member;
  members = member_count;
  stride = static_cast<long>(lanes);
  std::fill(status.begin(), status.end(), Status::ok);
  std::fill(failure_time.begin(), failure_time.end(), std::numeric_limits<double>::quiet_NaN());
  for (const BlockCounter& counter : block_counters) std::ranges::fill(this->*counter.values, 0.0);
  std::fill(events.begin(), events.end(), std::numeric_limits<double>::quiet_NaN());
  if (!events.empty()) {
    const EventRows rows = event_rows();
    for (const int zero : {rows.fired(), rows.changes(), rows.leaves()}) std::ranges::fill(row(events, zero), 0.0);
  }
  for (int event = 0; event < event_count; ++event) std::ranges::fill(row(events, event_rows().count(event)), 0.0);
  backend_state.clear();
  under_way = 0;
}

// Defined here, and not with the catalogue, for programs that link only a backend.
void Runner::combine_columns(Block&, const std::vector<double>&) {
  throw Error(ExitCode::internal_error, "this backend has no columns of sensitivities");
}

}  // namespace kalaba
