// Derivatives of events: of their times and states, and of the state after a stop; compared with closed forms and
// differences.

#include <gtest/gtest.h>

#include <cmath>

#include "kalaba/run.hpp"
#include "scenario/scenario.hpp"
#include "support/integrators.hpp"
#include "support/swing.hpp"

namespace kalaba {
namespace {

/// A pendulum whose rod is stated twice; it passes below its pivot, and is stopped behind it.
const std::string pendulum = text_of({.events = R"([[events]]
name = "below"
when = "x"
action = "record"
[[events]]
name = "stop"
when = "x + 0.3*L + 0.1*t"
)",
                                      .rods = R"(rod = "x^2 + y^2 = L^2"
twice = "(1 + x^2/L^2)*(x^2 + y^2 - L^2) = 0"
)",
                                      .rates = turning_rates,
                                      .time = "end = 1\ndt = 1e-3\n"});

/// Thrown up from the height h: hits the ground at T = (v + root) / g, where root^2 = v^2 + 2 g h. Energy, of which an
/// event may be, is not kept where time drives.
const std::string fall = R"(
[[events]]
name = "impact"
when = "z"
[[events]]
name = "energy"
when = "energy + 3*t - 13"
action = "record"
[model]
name = "fall"
lagrangian = "m*z_dot^2/2 - m*g*z"
[model.parameters]
m = "1 kg"
g = "9.81 m/s^2"
h = "1 m"
v = "2 m/s"
[model.coordinates]
z = "m"
[model.start]
z = "h"
z_dot = "v"
[model.time]
end = 1
dt = 0.015625
)";

/// Results of a run's first member: the rows of its events, and its last state and columns.
class Left final : public Sink {
 public:
  void begin(const RunInfo&) override {}
  void write(const Frame& frame) override {
    for (const Field field : all_fields) {
      const auto values = frame.values(field);
      std::vector<double>& row = fields_[static_cast<std::size_t>(field)];
      row.clear();
      for (std::size_t i = 0; i < values.size(); i += static_cast<std::size_t>(frame.block.stride)) {
        row.push_back(values[i]);
      }
    }
  }
  void end_block(const Block& block) override {
    rows_ = block.event_rows();
    status_ = block.status[0];
    for (std::size_t i = 0; i < block.events.size(); i += static_cast<std::size_t>(block.stride)) {
      events_.push_back(block.events[i]);
    }
  }
  void finish(const Summary&) override {}

  /// Time and state of an event.
  std::vector<double> of(int event) const {
    return joined(rows_.first(event), 1, rows_.q(event), rows_.coordinates, rows_.w(event), rows_.rates);
  }
  /// Their derivatives along a column.
  std::vector<double> slopes(int event, int column) const {
    return joined(rows_.time_slopes(event) + column, 1, rows_.q_slopes(event) + column * rows_.coordinates,
                  rows_.coordinates, rows_.w_slopes(event) + column * rows_.rates, rows_.rates);
  }
  /// The final state, or its derivatives along a column.
  std::vector<double> state(Field q, Field w, int column = 0) const {
    std::vector<double> all;
    for (const Field field : {q, w}) {
      const auto& row = fields_[static_cast<std::size_t>(field)];
      const int count = field == q ? rows_.coordinates : rows_.rates;
      for (int i = 0; i < count; ++i) all.push_back(row[static_cast<std::size_t>(column * count + i)]);
    }
    return all;
  }
  Status status() const { return status_; }
  const std::vector<double>& field(Field field) const { return fields_[static_cast<std::size_t>(field)]; }

 private:
  std::vector<double> joined(int a, int a_size, int b, int b_size, int c, int c_size) const {
    std::vector<double> all;
    for (const auto& [first, size] : {std::pair{a, a_size}, {b, b_size}, {c, c_size}}) {
      for (int i = 0; i < size; ++i) all.push_back(events_[static_cast<std::size_t>(first + i)]);
    }
    return all;
  }

  std::array<std::vector<double>, field_count> fields_;
  std::vector<double> events_;
  EventRows rows_ = {0, 0};
  Status status_ = Status::ok;
};

Left run_of(const std::string& text, const std::vector<std::string>& overrides) {
  const Scenario scenario = load_scenario_text(text, "events.toml", overrides);
  Left left;
  Sink* const sinks[] = {&left};
  run(*scenario.system, *scenario.source, scenario.options, sinks);
  return left;
}

struct Way {
  const char* backend;
  const char* integrator;
};

std::vector<std::string> overrides_of(const Way& way) {
  return {std::string("solver.backend=") + way.backend, std::string("solver.integrator=") + way.integrator};
}

class SensitivityOfEvents : public ::testing::TestWithParam<Way> {};

/// Differences of order 6 along L, of runs with their events.
TEST_P(SensitivityOfEvents, AgreesWithDifferences) {
  std::vector<std::string> overrides = overrides_of(GetParam());
  overrides.insert(overrides.end(), {"sensitivities.of=[\"parameters.g\", \"parameters.L\"]",
                                     "output.fields=[\"q\", \"w\", "
                                     "\"q_sensitivity\", \"w_sensitivity\"]",
                                     "time.save_at=[0.0, 0.8123]"});
  if (overrides[1] != "solver.integrator=rk4") overrides.emplace_back("solver.relative_tolerance=1e-12");
  if (overrides[1] != "solver.integrator=rk4") overrides.emplace_back("solver.absolute_tolerance=1e-12");
  const Left left = run_of(pendulum, overrides);
  ASSERT_EQ(left.status(), Status::stopped);
  constexpr double h = 1e-3;
  constexpr double weights[] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
  std::vector<double> below(5);
  std::vector<double> stop(5);
  std::vector<double> state(4);
  const auto add = [](std::vector<double>& sums, double weight, const std::vector<double>& values) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += weight * values[i];
  };
  for (int i = 0; i < 3; ++i) {
    for (const int sign : {1, -1}) {
      std::vector<std::string> all = overrides;
      all.push_back("parameters.L=" + std::to_string(0.9 + sign * (i + 1) * h));
      const Left shifted = run_of(pendulum, all);
      const double weight = sign * weights[i] / h;
      add(below, weight, shifted.of(0));
      add(stop, weight, shifted.of(1));
      add(state, weight, shifted.state(Field::q, Field::w));
    }
  }
  const auto expect_near = [](const std::vector<double>& found, const std::vector<double>& expected, const char* what) {
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-9) << what << ' ' << i;
  };
  expect_near(left.slopes(0, 1), below, "below");
  expect_near(left.slopes(1, 1), stop, "stop");
  expect_near(left.state(Field::q_sensitivity, Field::w_sensitivity, 1), state, "final");
  const std::vector<double> along_g = left.slopes(1, 0);
  const std::vector<double> final_g = left.state(Field::q_sensitivity, Field::w_sensitivity, 0);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(final_g[i], along_g[1 + i]) << "a stop is kept";
}

/// A bead on a wire that moves, of which the energy, the outputs and the force depend on the time explicitly.
const std::string timed = R"toml(
[[events]]
name = "stop"
when = "x - L - 0.2*t"
[model]
name = "timed"
lagrangian = "m*(x_dot^2 + y_dot^2)/2 - m*g*y - m*a*x*t^2"
[model.parameters]
m = "1 kg"
g = "9.81 m/s^2"
L = "0.4 m"
c = "0.5 1/m"
a = "3 m/s^4"
[model.coordinates]
x = "m"
y = "m"
[model.holonomic]
wire = "y = c*x^2*(1 + sin(2[1/s]*t))"
[model.start]
x_dot = 2.5
[model.outputs]
clock = "t"
both = "x*t + L*t^2*1[1/s]"
[model.time]
end = 0.6
dt = 0.005
)toml";

/// At saved times in the step that contains the stop and later.
TEST_P(SensitivityOfEvents, OutputsDependOnTheTimeOfTheStop) {
  const std::vector<std::string> names = {"parameters.L", "parameters.c", "initial.x_dot"};
  const double values[] = {0.4, 0.5, 2.5};
  std::vector<std::string> overrides = overrides_of(GetParam());
  if (overrides[1] != "solver.integrator=rk4") {
    overrides.insert(overrides.end(), {"solver.relative_tolerance=1e-12", "solver.absolute_tolerance=1e-12"});
  }
  const auto all_of = [](const Left& left) {
    std::vector<double> all = left.field(Field::energy);
    for (const Field field : {Field::invariants, Field::multipliers}) {
      all.insert(all.end(), left.field(field).begin(), left.field(field).end());
    }
    return all;
  };
  const std::string fields = "output.fields=[\"q\", \"energy\", \"invariants\", \"multipliers\"";
  std::vector<std::string> of = overrides;
  of.push_back(fields + ", \"energy_sensitivity\", \"invariants_sensitivity\", \"multipliers_sensitivity\"]");
  overrides.push_back(fields + "]");
  of.emplace_back("sensitivities.of=[\"parameters.L\", \"parameters.c\", \"initial.x_dot\"]");
  of.emplace_back("time.save_at=[0, 0.6]");
  const double stop = run_of(timed, of).of(0)[0];
  ASSERT_GT(stop, 0.1);
  for (const double saved : {stop + 1e-5, 0.6}) {
    const std::string save = "time.save_at=[0, " + std::to_string(saved) + "]";
    of.back() = save;
    const Left left = run_of(timed, of);
    const std::size_t outputs = left.field(Field::invariants).size();
    for (std::size_t column = 0; column < names.size(); ++column) {
      constexpr double h = 1e-4;
      std::vector<double> expected(all_of(left).size());
      constexpr double weights[] = {2.0 / 3, -1.0 / 12};
      for (int i = 0; i < 2; ++i) {
        for (const int sign : {1, -1}) {
          std::vector<std::string> all = overrides;
          all.emplace_back("time.save_at=[0, 0.6]");
          all.push_back(names[column] + "=" + std::to_string(values[column] + sign * (i + 1) * h));
          const std::vector<double> moved = all_of(run_of(timed, all));
          for (std::size_t k = 0; k < moved.size(); ++k) expected[k] += sign * weights[i] / h * moved[k];
        }
      }
      std::vector<double> found = {left.field(Field::energy_sensitivity)[column]};
      for (std::size_t k = 0; k < outputs; ++k) {
        found.push_back(left.field(Field::invariants_sensitivity)[column * outputs + k]);
      }
      found.push_back(left.field(Field::multipliers_sensitivity)[column]);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t k = 0; k < found.size(); ++k) {
        EXPECT_NEAR(found[k], expected[k], 1e-6 * (1 + std::abs(expected[k])))
            << names[column] << ' ' << k << ' ' << saved;
      }
    }
  }
}

/// RK4 is exact here. E = v^2 / 2 + g h stays, and 3 t = 13 - E.
TEST(SensitivityOfFalls, AgreesWithItsClosedForm) {
  for (const char* backend : {"cpu", "reference"}) {
    std::vector<std::string> overrides = overrides_of({backend, "rk4"});
    overrides.emplace_back("sensitivities.of=[\"parameters.g\", \"parameters.h\", \"initial.z_dot\"]");
    const Left left = run_of(fall, overrides);
    const double g = 9.81;
    const double v = 2;
    const double root = std::sqrt(v * v + 2 * g);
    const double end = (v + root) / g;
    const double times[] = {1 / (root * g) - end / g, 1 / root, end / root};
    const double energies[] = {1, g, v};
    for (int column = 0; column < 3; ++column) {
      const double rate = column == 0 ? -end : column == 2 ? 1 : 0;
      EXPECT_NEAR(left.slopes(0, column)[0], times[column], 1e-11) << backend << ' ' << column;
      EXPECT_NEAR(left.slopes(0, column)[1], 0, 1e-11) << backend << ' ' << column;
      EXPECT_NEAR(left.slopes(0, column)[2], rate - g * times[column], 1e-10) << backend << ' ' << column;
      EXPECT_NEAR(left.slopes(1, column)[0], -energies[column] / 3, 1e-10) << backend << ' ' << column;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, SensitivityOfEvents,
                         ::testing::Values(Way{"cpu", "rk4"}, Way{"cpu", "dopri5"}, Way{"reference", "rk4"},
                                           Way{"reference", "dopri5"}),
                         [](const auto& info) {
                           return std::string(info.param.backend) + "_" + info.param.integrator;
                         });

}  // namespace
}  // namespace kalaba
