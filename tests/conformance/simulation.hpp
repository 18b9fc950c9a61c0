#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "backend/backends.hpp"
#include "backend/reference/model.hpp"
#include "kalaba/block.hpp"
#include "kalaba/ensemble.hpp"
#include "kalaba/system.hpp"

namespace kalaba::conformance {

using reference::Instant;
using reference::Matrix;
using reference::Vector;

/// Block of members, the runner that advances them, and their position in the time grid.
struct Simulation {
  std::unique_ptr<Runner> runner;
  Block block;
  TimeGrid time;
  long step = 0;

  void start(bool project) {
    runner->start(block, time.start, project);
    runner->synchronize(block);
  }

  void advance(long steps) {
    runner->advance(block, time, step, steps);
    runner->synchronize(block);
    step += steps;
  }
  void finish() { advance(time.steps() - step); }

  /// Selects all fields: a device compiles one kernel per set of fields.
  std::vector<double> observe(Field field) {
    FieldSet every_field;
    for (const Field each : all_fields) every_field.add(each);
    Observation out;
    runner->observe(block, time.at(step), every_field, out);
    runner->wait(out);
    return out.values[static_cast<std::size_t>(field)];
  }

  /// Numbers of a member from [component][stride].
  Vector member(const std::vector<double>& rows, long index) const {
    const long count = static_cast<long>(rows.size()) / block.stride;
    return Eigen::Map<const Vector, 0, Eigen::InnerStride<>>(rows.data() + index, count,
                                                             Eigen::InnerStride<>(block.stride));
  }
  Vector q(long index = 0) const { return member(block.q, index).head(block.coordinate_count); }
  Vector w(long index = 0) const { return member(block.w, index).head(block.rate_count); }
  Instant instant(long index = 0) const {
    return {member(block.parameters, index).head(block.parameter_count), time.at(step), q(index), w(index)};
  }
  Status status(long index = 0) const { return block.status[static_cast<std::size_t>(index)]; }
};

/// Members of a system, all with default parameters and start.
inline Block default_block(const System& system, long members) {
  const auto count = [](const std::vector<Variable>& variables) { return static_cast<int>(variables.size()); };
  const SystemInfo& info = system.info;
  Block block(count(info.parameters), count(info.coordinates), count(info.rates), members);
  block.assign(0, members);
  Ensemble(system, members).fill(block);
  return block;
}

inline Simulation simulate(const System& system, const Options& options, long members) {
  ChosenBackend chosen = choose_backend(system, options);
  if (chosen.backend != options.backend) throw std::runtime_error(chosen.compiled);  // no compiler: the reference
  if (chosen.runner->reserve(members) < members) throw std::runtime_error("no room for the members of a simulation");
  return {std::move(chosen.runner), default_block(system, members), options.time};
}

}  // namespace kalaba::conformance
