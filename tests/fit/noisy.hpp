#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "fit/fit.hpp"
#include "kalaba/ensemble.hpp"

namespace kalaba::fit {

/// Normal noise, identical on all platforms: Box-Muller transform of a generator that the C++ standard specifies
/// exactly.
class Noise {
 public:
  explicit Noise(unsigned seed) : generator_(seed) {}
  double operator()() {
    constexpr double pi = 3.14159265358979323846;
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * pi * uniform());
  }

 private:
  double uniform() { return (static_cast<double>(generator_()) + 0.5) / 4294967296.0; }
  std::mt19937 generator_;
};

/// Ensemble of one member whose starts are computed from its parameters, except those that are set.
class Followed final : public MemberSource {
 public:
  explicit Followed(const System& system) : system_(&system), one_(system, 1) {}

  void set(const std::string& name, double value) {
    const std::string last = name.substr(name.find('.') + 1);
    if (name.starts_with("parameters.")) {
      one_.parameter(last)[0] = value;
      one_.restart();
      for (const auto& [start, given] : given_) one_.initial(start)[0] = given;
    } else {
      one_.initial(last)[0] = value;
      given_.emplace_back(last, value);
    }
  }

  long members() const override { return 1; }
  void fill(Block& block) const override { one_.fill(block); }
  bool starts_follow_parameters() const override { return true; }
  std::vector<GivenStart> given_starts() const override {
    std::vector<GivenStart> given;
    for (const std::pair<std::string, double>& each : given_) {
      const std::string& name = each.first;
      const auto place = [&](const std::vector<Variable>& variables) {
        return static_cast<int>(std::ranges::find(variables, name, &Variable::name) - variables.begin());
      };
      const int coordinate = place(system_->info.coordinates);
      const bool is_rate = coordinate == static_cast<int>(system_->info.coordinates.size());
      given.push_back({is_rate, is_rate ? place(system_->info.rates) : coordinate, false});
    }
    return given;
  }

 private:
  const System* system_;
  mutable Ensemble one_;
  std::vector<std::pair<std::string, double>> given_;
};

/// Simulated measurement of a motion: `columns` at `times`, with normal noise of that standard deviation.
inline Measurements measured(const System& system, const MemberSource& source, Options options,
                             const std::vector<double>& times, const std::vector<std::string>& columns, double sigma,
                             unsigned seed = 1) {
  options.save_at = times;
  options.fields = {Field::q, Field::w};
  Ensemble one(system, 1);
  Block block(static_cast<int>(system.info.parameters.size()), static_cast<int>(system.info.coordinates.size()),
              static_cast<int>(system.info.rates.size()), 1);
  block.assign(0, 1);
  source.fill(block);
  for (std::size_t i = 0; i < system.info.parameters.size(); ++i) {
    one.parameter(system.info.parameters[i].name)[0] = block.parameter(static_cast<int>(i))[0];
  }
  for (std::size_t i = 0; i < system.info.coordinates.size(); ++i) {
    one.initial(system.info.coordinates[i].name)[0] = block.coordinate(static_cast<int>(i))[0];
  }
  for (std::size_t i = 0; i < system.info.rates.size(); ++i) {
    one.initial(system.info.rates[i].name)[0] = block.rate(static_cast<int>(i))[0];
  }
  const Result result = run(one, options);
  Noise noise(seed);
  Measurements data;
  data.times = times;
  data.columns = columns;
  for (std::size_t time = 0; time < times.size(); ++time) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      data.readings.push_back({time, i, result.values(columns[i], time)[0] + sigma * noise()});
    }
  }
  return data;
}

}  // namespace kalaba::fit
