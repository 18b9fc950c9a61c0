#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "kalaba/run.hpp"
#include "output/base/sink.hpp"
#include "output_data/temporary_folder.hpp"

namespace kalaba {

/// System with 3 coordinates q, 2 rates w and 2 constraints, which is not in the catalogue.
inline SystemInfo fake_system() {
  SystemInfo system;
  system.name = "cart";
  system.summary = "a cart on a bent rail";
  system.source = "nobody 2026";
  system.parameters = {{"m", "kg", 1, "mass"}, {"time", "s", 2, "a parameter with a taken name"}};
  system.coordinates = {{"a", "m", 0, ""}, {"b", "m", 0, ""}, {"angle", "rad", 0, ""}};
  system.rates = {{"speed", "m/s", 0, ""}, {"spin", "rad/s", 0, ""}};
  system.constraints = {{"rail", "m", 0, ""}, {"slip", "m/s", 0, ""}};
  system.holonomic = 1;
  system.has_energy = true;
  return system;
}

inline FieldSet every_field() {
  FieldSet fields;
  for (Field field : all_fields) fields.add(field);
  return fields;
}

/// Saved fields of which some have components alone: of a cart.
inline SavedFields some_components() {
  SavedFields fields = {Field::energy};
  fields.add_component(Field::q, "angle");
  fields.add_component(Field::q, "a");  // files have the order of the system
  fields.add_component(Field::w, "spin");
  fields.add_component(Field::multipliers, "lambda_2");
  return fields;
}

/// Number that a fake run saves, different for every member, time and component.
inline double fake_value(Field field, std::size_t component, long member, double time) {
  const double phase = 0.37 * static_cast<double>(member) + static_cast<double>(component);
  if (field == Field::residual || field == Field::violation) return member % 7 == 0 ? 0 : 1e-15 * (2 + std::sin(phase));
  return std::sin(phase + time) / 3 + static_cast<double>(static_cast<int>(field));
}

struct FakeRun {
  long members = 10;
  long block_members = 4;
  std::vector<double> times = {0, 0.5, 1};
  SavedFields fields = every_field();
  StatisticsOptions statistics = {};
  bool trajectories = true;
  std::vector<Event> events = {};  // which never occur
  double memory = 256e6;
  Integrator integrator = Integrator::rk4;
  long stop_before_member = std::numeric_limits<long>::max();  // an interruption omits the blocks from here on
  SystemInfo system = fake_system();
  std::vector<std::string> saltelli = {};  // variables drawn by that design
  double (*parameter)(std::size_t, long member) = [](std::size_t, long member) {
    return static_cast<double>(member) + 0.5;
  };
  double (*value)(Field, std::size_t component, long member, double time) = fake_value;
  Status (*status)(long member, double time) = [](long, double) { return Status::ok; };  // at a saved time

  RunInfo info() const {
    RunInfo run;
    run.system = &system;
    run.options.fields = fields;
    run.options.statistics = statistics;
    run.options.trajectories = trajectories;
    run.options.events = events;
    run.options.method.integrator = integrator;
    run.options.memory_budget = memory;
    run.options.backend = Backend::cpu;
    run.members = members;
    run.times = times;
    run.device = "cpu: no threads at all";
    return run;
  }

  /// Writes everything except `finish`.
  Summary feed(Sink& sink) const {
    const RunInfo run = info();
    sink.begin(run);
    Block block(static_cast<int>(system.parameters.size()), static_cast<int>(system.coordinates.size()),
                static_cast<int>(system.rates.size()), block_members, Block::alignment, static_cast<int>(events.size()),
                static_cast<int>(system.sensitivities.size()));
    Summary summary;
    summary.members = members;
    for (long first = 0; first < members; first += block_members) {
      if (first >= stop_before_member) {
        summary.interrupted = true;
        break;
      }
      block.assign(first, std::min(block_members, members - first));
      feed_block(block, sink);
      summary.finished_members += block.members;
    }
    summary.by_status[0] = summary.finished_members;
    return summary;
  }

  /// Writes `blocks` blocks after those that the summary counts, without `begin` and `finish`.
  Summary feed_blocks(Sink& sink, Summary summary, long blocks) const {
    Block block(2, 3, 2, block_members);
    summary.members = members;
    for (; blocks > 0 && summary.finished_members < members; --blocks) {
      block.assign(summary.finished_members, std::min(block_members, members - summary.finished_members));
      feed_block(block, sink);
      summary.finished_members += block.members;
      sink.block_finished(summary);
    }
    return summary;
  }

  void write(const std::string& path) const {
    Provenance provenance = {"system = \"cart\"\n", 18446744073709551615ULL, "1.2.3", "abcdef"};
    provenance.saltelli = saltelli;
    const auto sink = open_sink(path, provenance);
    sink->finish(feed(*sink));
  }

  /// Sets initial values, different for every member; `shift`: of the projection.
  void put_starts(Block& block, double shift) const {
    for (long m = 0; m < block.members; ++m) {
      const double start = std::cos(static_cast<double>(block.first + m)) + shift;
      const auto at = static_cast<std::size_t>(m);
      for (std::size_t i = 0; i < system.coordinates.size(); ++i) block.coordinate(static_cast<int>(i))[at] = start;
      for (std::size_t i = 0; i < system.rates.size(); ++i) block.rate(static_cast<int>(i))[at] = -start;
    }
  }

  void feed_block(Block& block, Sink& sink) const {
    Observation observation;
    for (std::size_t i = 0; i < system.parameters.size(); ++i) {
      for (long m = 0; m < block.members; ++m) {
        block.parameter(static_cast<int>(i))[static_cast<std::size_t>(m)] = parameter(i, block.first + m);
      }
    }
    put_starts(block, 0);
    sink.begin_block(block);
    put_starts(block, 1e-3);
    sink.begin_motion(block);
    observation.status.resize(static_cast<std::size_t>(block.stride));
    for (std::size_t t = 0; t < times.size(); ++t) {
      for (long m = 0; m < block.members; ++m) {
        observation.status[static_cast<std::size_t>(m)] = status(block.first + m, times[t]);
      }
      for (Field field : all_fields) {
        const std::size_t components = field_layout(system, field).size();
        std::vector<double>& values = observation.values[static_cast<std::size_t>(field)];
        values.assign(components * static_cast<std::size_t>(block.stride), -777);  // padding must not be saved
        for (std::size_t c = 0; c < components; ++c) {
          for (long m = 0; m < block.members; ++m) {
            values[c * static_cast<std::size_t>(block.stride) + static_cast<std::size_t>(m)] =
                value(field, c, block.first + m, times[t]);
          }
        }
      }
      sink.write({static_cast<long>(t), times[t], block, observation});
    }
    if (block.first == 0) {
      block.status[1] = Status::non_finite;
      block.failure_time[1] = 0.25;
    }
    sink.end_block(block);
  }
};

}  // namespace kalaba
