#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "kalaba/block.hpp"
#include "kalaba/system.hpp"

namespace kalaba::formula {

inline Options options_of(const SystemInfo& info) {
  Options options;
  options.time = info.time;
  options.method.stabilization = info.stabilization;
  options.project_start = info.stabilization.kind == Stabilization::Kind::projection;
  options.threads = 1;
  return options;
}

/// One member with default values, on a runner.
class Motion {
 public:
  Motion(const System& system, std::unique_ptr<Runner> runner, const Options& options)
      : info_(system.info),
        options_(options),
        runner_(std::move(runner)),
        block_(count(info_.parameters), count(info_.coordinates), count(info_.rates), 1) {
    block_.assign(0, 1);
    for (int i = 0; i < block_.parameter_count; ++i) block_.parameter(i)[0] = at(info_.parameters, i);
    for (int i = 0; i < block_.coordinate_count; ++i) block_.coordinate(i)[0] = at(info_.coordinates, i);
    for (int i = 0; i < block_.rate_count; ++i) block_.rate(i)[0] = at(info_.rates, i);
    runner_->start(block_, options_.time.start, options_.project_start);
  }

  void advance_to(double time) {
    const long target = std::lround((time - options_.time.start) / options_.time.dt);
    runner_->advance(block_, options_.time, step_, target - step_);
    step_ = target;
  }
  Status status() const { return block_.status[0]; }

  /// Value of a coordinate, rate or invariant by name.
  double value(const std::string& name) {
    for (int i = 0; i < block_.coordinate_count; ++i) {
      if (info_.coordinates[static_cast<std::size_t>(i)].name == name) return block_.coordinate(i)[0];
    }
    for (int i = 0; i < block_.rate_count; ++i) {
      if (info_.rates[static_cast<std::size_t>(i)].name == name) return block_.rate(i)[0];
    }
    const auto rows = observe(Field::invariants);
    for (std::size_t i = 0; i < info_.invariants.size(); ++i) {
      if (info_.invariants[i].name == name) return rows[i * static_cast<std::size_t>(block_.stride)];
    }
    ADD_FAILURE() << "there is no " << name;
    return std::nan("");
  }
  std::vector<double> observe(Field field) {
    Observation out;
    runner_->observe(block_, options_.time.at(step_), {field}, out);
    return out.values[static_cast<std::size_t>(field)];
  }

 private:
  static int count(const std::vector<Variable>& variables) { return static_cast<int>(variables.size()); }
  static double at(const std::vector<Variable>& variables, int i) {
    return variables[static_cast<std::size_t>(i)].value;
  }

  SystemInfo info_;
  Options options_;
  std::unique_ptr<Runner> runner_;
  Block block_;
  long step_ = 0;
};

/// Runs the default member and compares with the system's figures.
inline void expect_figures(const System& system, const System::RunnerFactory& factory) {
  const Options options = options_of(system.info);
  Motion motion(system, factory(options), options);
  for (const ExpectedFigure& figure : system.info.figures) {
    motion.advance_to(figure.time);
    ASSERT_EQ(motion.status(), Status::ok) << system.info.name;
    EXPECT_NEAR(motion.value(figure.name), figure.value, figure.tolerance) << system.info.name << ' ' << figure.name;
  }
}

}  // namespace kalaba::formula
