#include "engine/block_state.hpp"

#include <array>

#include "kalaba/state.hpp"

namespace kalaba {
namespace {

/// The lists of numbers that make a block's state.
template <class AnyBlock>
auto lists_of(AnyBlock& block) {
  return std::array{&block.q,        &block.w,        &block.failure_time, &block.rank_changes,
                    &block.accepted, &block.rejected, &block.carry};
}

}  // namespace

std::string state_of(const Block& block) {
  StateWriter state;
  for (const auto* list : lists_of(block)) state.put(*list);
  state.put(block.status);
  return std::move(state).bytes();
}

void restore(Block& block, const std::string& bytes) {
  StateReader state(bytes);
  block.carry.resize(static_cast<std::size_t>(block.stride));
  for (auto* list : lists_of(block)) {
    std::vector<double> values = state.get_all<double>();
    state.require(values.size() == list->size(), "a block of the same members");
    *list = std::move(values);
  }
  block.status = state.get_all<Status>();
  state.require(state.is_at_end(), "an end");
}

}  // namespace kalaba
