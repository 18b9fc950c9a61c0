#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kalaba/block.hpp"
#include "kalaba/core/model.hpp"
#include "kalaba/system.hpp"

namespace kalaba::testing_models {

/// A block of members, the runner that drives them, and where they are on the time grid.
struct Simulation {
  std::unique_ptr<Runner> runner;
  Block block;
  TimeGrid time;
  long step = 0;

  void start(bool project) { runner->start(block, time.start, project); }

  void advance(long steps) {
    runner->advance(block, time, step, steps);
    step += steps;
  }
  void finish() { advance(time.steps() - step); }

  std::vector<double> observe(Field field) {
    Observation out;
    runner->observe(block, time.at(step), FieldSet{field}, out);
    return out.values[static_cast<std::size_t>(field)];
  }

  std::vector<double> q(long member = 0) const { return column(block.q, block.coordinate_count, member); }
  std::vector<double> w(long member = 0) const { return column(block.w, block.rate_count, member); }
  Status status(long member = 0) const { return block.status[static_cast<std::size_t>(member)]; }

  /// The member's numbers out of [component][stride].
  std::vector<double> column(const std::vector<double>& rows, int count, long member = 0) const {
    std::vector<double> values;
    for (int i = 0; i < count; ++i) values.push_back(rows[static_cast<std::size_t>(i * block.stride + member)]);
    return values;
  }
};

/// Members of a model, all with the default parameters and start.
template <Model M>
Block default_block(long members) {
  Vec<double, Dim<M>::parameters> p;
  Vec<double, Dim<M>::q> q;
  Vec<double, Dim<M>::w> w;
  for (int i = 0; i < Dim<M>::parameters; ++i) p[i] = M::parameters[i].value;
  M::start(p, q, w);
  Block block(Dim<M>::parameters, Dim<M>::q, Dim<M>::w, members);
  block.assign(0, members);
  const auto fill = [&](std::span<double> row, double value) { std::fill(row.begin(), row.end(), value); };
  for (int i = 0; i < Dim<M>::parameters; ++i) fill(block.parameter(i), p[i]);
  for (int i = 0; i < Dim<M>::q; ++i) fill(block.coordinate(i), q[i]);
  for (int i = 0; i < Dim<M>::w; ++i) fill(block.rate(i), w[i]);
  return block;
}

}  // namespace kalaba::testing_models
