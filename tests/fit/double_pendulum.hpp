#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fit/noisy.hpp"

namespace kalaba::fit {

inline const std::vector<std::string> places = {"x1", "y1", "x2", "y2"};
inline const std::vector<std::string> three = {"parameters.L", "parameters.g", "initial.x2_dot"};
inline constexpr double sigma = 0.01;

/// Double pendulum with three values that differ from the catalogue's.
struct DoublePendulum {
  const System& system = find_system("chain", {{"links", 2}});
  Options options = default_options(system);
  Followed truth{system};
  Followed guess{system};
  std::vector<double> times;

  DoublePendulum() {
    options.time.end = 1.5;
    options.time.dt = 5e-3;
    truth.set("parameters.L", 0.9);
    truth.set("parameters.g", 9.6);
    truth.set("initial.x2_dot", 0.4);
    for (int i = 1; i <= 60; ++i) times.push_back(0.0247 * i);  // between steps
  }

  Measurements data(double noise, unsigned seed = 1) const {
    return measured(system, truth, options, times, places, noise, seed);
  }
  Problem problem(Measurements data, Request request) const {
    if (request.free.empty()) request.free = three;
    return make_problem(system, guess, options, StartRule::project, std::move(data), request);
  }
};

inline std::vector<std::pair<std::string, double>> known(double value) {
  std::vector<std::pair<std::string, double>> sigmas;
  for (const std::string& each : places) sigmas.emplace_back(each, value);
  return sigmas;
}

}  // namespace kalaba::fit
