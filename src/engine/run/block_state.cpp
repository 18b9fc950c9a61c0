#include "engine/run/block_state.hpp"

#include <array>

#include "kalaba/state.hpp"

namespace kalaba {
namespace {

/// Returns the vectors that contain a block's state, whose sizes the block determines. The parameters are among them
/// because the discrete variables are.
template <class AnyBlock>
auto lists_of(AnyBlock& block) {
  return std::array{
      &block.parameters,        &block.q,          &block.w,        &block.failure_time, &block.rank_changes,
      &block.singular_passages, &block.svd_stages, &block.accepted, &block.rejected,     &block.events};
}

}  // namespace

std::string state_of(const Block& block, const ConstraintJudge& judge, const ConservedNumbers& conserved,
                     const LyapunovExponents& exponents) {
  StateWriter state;
  for (const auto* list : lists_of(block)) state.put(*list);
  state.put(block.status);
  state.put(block.backend_state);
  state.put(block.under_way);
  judge.save(state);
  conserved.save(state);
  exponents.save(state);
  return std::move(state).bytes();
}

void restore(Block& block, ConstraintJudge& judge, ConservedNumbers& conserved, LyapunovExponents& exponents,
             const std::string& bytes) {
  StateReader state(bytes);
  for (auto* list : lists_of(block)) {
    std::vector<double> values = state.get_all<double>();
    state.require(values.size() == list->size(), "a block of the same members");
    *list = std::move(values);
  }
  block.status = state.get_all<Status>();
  block.backend_state = state.get_all<double>();  // its size depends on the backend
  block.under_way = state.get<long>();
  state.require(block.under_way >= 0, "a number of steps");
  judge.restore(state);
  conserved.restore(state);
  exponents.restore(state);
  state.require(state.is_at_end(), "an end");
}

}  // namespace kalaba
