#pragma once

#include <vector>

#include "backend/cpu_runner.hpp"
#include "kalaba/backend/pack.hpp"
#include "kalaba/backend/pack_work.hpp"

namespace kalaba {

/// Members near the default start, no two alike.
template <class M>
Block members_of(long members, int events) {
  Block block(Dim<M>::parameters, Dim<M>::q, Dim<M>::w, members, Block::alignment, events);
  block.assign(0, members);
  for (long i = 0; i < members; ++i) {
    Vec<double, Dim<M>::parameters> p;
    Vec<double, Dim<M>::q> q;
    Vec<double, Dim<M>::w> w;
    for (int k = 0; k < Dim<M>::parameters; ++k) {
      p[k] = M::parameters[k].value * (1 + 1e-4 * static_cast<double>((i * (k + 1)) % 37));
    }
    M::start(p, q, w);
    for (int k = 0; k < Dim<M>::parameters; ++k) block.parameter(k)[static_cast<std::size_t>(i)] = p[k];
    for (int k = 0; k < Dim<M>::q; ++k) block.coordinate(k)[static_cast<std::size_t>(i)] = q[k];
    for (int k = 0; k < Dim<M>::w; ++k) block.rate(k)[static_cast<std::size_t>(i)] = w[k];
  }
  return block;
}

using Numbers = std::vector<double>;

/// All that a runner says of two times so many steps.
inline Numbers travel(Runner& runner, Block block, double dt, long steps = 40) {
  const TimeGrid time = {.start = 0, .end = static_cast<double>(3 * steps) * dt, .dt = dt};
  Numbers all;
  const auto add = [&](const auto& rows) {  // of the members; what lies behind the last is nobody's
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto member = static_cast<long>(i) % block.stride;
      if (member < block.members) all.push_back(static_cast<double>(rows[i]));
    }
  };
  const auto add_observed = [&](const Observation& seen) {
    for (const auto& values : seen.values) add(values);
    add(seen.status);
  };
  FieldSet fields;
  for (const Field field : all_fields) fields.add(field);
  Observation seen;
  runner.start(block, 0, true);
  runner.observe(block, 0, fields, seen);
  add_observed(seen);
  for (const long step : {0L, steps}) {
    runner.advance(block, time, step, steps);
    runner.observe(block, time.at(step + steps), fields, seen);
    add_observed(seen);
    runner.observe_between(block, time, step + steps, time.at(step + steps) + 0.3 * dt, fields, seen);
    add_observed(seen);
  }
  for (const auto* numbers :
       {&block.q, &block.w, &block.failure_time, &block.rank_changes, &block.singular_passages, &block.svd_stages,
        &block.accepted, &block.rejected, &block.events, &block.backend_state}) {
    add(*numbers);
  }
  return all;
}

}  // namespace kalaba
