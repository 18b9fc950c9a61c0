#pragma once

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "kalaba/make_system.hpp"
#include "simulation.hpp"
#include "support/boost_reading.hpp"

// Runs of the reference backend on a typed model.

namespace kalaba::conformance {

/// Model whose reference uses Boost's derivatives of the struct in place of the graph's.
template <Model M>
const System& reference_system() {
  static const System system = [] {
    System made = make_system<M>();
    made.reference = &make_boost_reference<M>;
    return made;
  }();
  return system;
}

template <Model M>
Options reference_options() {
  Options options = default_options(reference_system<M>());
  options.backend = Backend::reference;
  options.threads = 1;
  return options;
}

template <Model M>
Simulation simulate(const Options& options = reference_options<M>(), long members = 1) {
  return simulate(reference_system<M>(), options, members);
}

/// Default member of a model, after a run to the end of its default time.
template <Model M>
Simulation finished(Options options = reference_options<M>(), double end = M::time.end) {
  options.time.end = end;
  Simulation simulation = simulate<M>(options);
  simulation.start(options.project_start);
  simulation.finish();
  EXPECT_EQ(simulation.status(), Status::ok);
  return simulation;
}

/// Default parameters, random state and time.
template <Model M>
Instant random_instant(unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-2, 2);
  Instant x = simulate<M>().instant();
  x.t = uniform(generator);
  for (double& value : x.q) value = uniform(generator);
  for (double& value : x.w) value = uniform(generator);
  return x;
}

inline void expect_near(const Matrix& found, const Matrix& expected, double tolerance) {
  ASSERT_EQ(found.rows(), expected.rows());
  ASSERT_EQ(found.cols(), expected.cols());
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), tolerance) << found << "\nexpected\n" << expected;
}

inline void expect_values(const Vector& found, const std::vector<double>& expected, double tolerance) {
  expect_near(found, Eigen::Map<const Vector>(expected.data(), static_cast<long>(expected.size())), tolerance);
}

}  // namespace kalaba::conformance
