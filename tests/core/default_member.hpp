#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// Member at its model's default start, before any step.
template <class PersistentState, class M>
PersistentState default_member() {
  PersistentState member{};
  for (int i = 0; i < Dim<M>::parameters; ++i) member.p[i] = M::parameters[i].value;
  M::start(member.p, member.q, member.w);
  member.rank = -1;
  return member;
}

}  // namespace kalaba
