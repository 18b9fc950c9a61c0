#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "kalaba/backend/pack.hpp"
#include "kalaba/core/loop/integrators.hpp"
#include "kalaba/core/loop/member.hpp"
#include "singular/models.hpp"

// A singular position is placed at many positions within a step, for every pseudo-inverse: in packs with different
// lanes, and in packs with identical lanes, whose results must be bitwise identical.

namespace kalaba::test {

/// Positions as fractions of a step: equally spaced, and dense near the nodes of the integrators and the ends of a
/// step.
inline std::vector<double> places_in_a_step() {
  std::vector<double> places;
  for (int i = 0; i < 400; ++i) places.push_back((i + 0.5) / 400);
  for (const double node : {0.0, 0.125, 0.25, 0.5, 0.75, 1.0}) {
    places.push_back(node);
    for (int i = 0; i < 50; ++i) {
      const double distance = std::pow(10, -3 - 0.25 * i);
      places.push_back(node - distance);
      places.push_back(node + distance);
    }
  }
  return places;
}

struct Place {
  int step;
  double part;
};

/// Final result of a member.
struct Arrival {
  double status = 0;
  double passages = 0;
  double error = 0;
  std::vector<double> state;
};

inline double lane(const Pack<double>& x, int i) {
  double lanes[Pack<double>::lanes];
  x.store(lanes);
  return lanes[i];
}

/// Deviation of the state from the known motion: the first coordinate follows the drive, at -angle or at angle; for a
/// free linkage, its relative error of energy.
template <class M>
double error_of(const Vec<double, 3>& p, double angle, const Vec<double, Dim<M>::q>& q,
                const Vec<double, Dim<M>::w>& w) {
  if constexpr (ModelParts<M>::has_energy) {
    Vec<double, Dim<M>::q> q0;
    Vec<double, Dim<M>::w> w0;
    M::start(p, q0, w0);
    const double energy = M::energy(p, 0.0, q0, w0);
    return std::abs(M::energy(p, 0.0, q, w) / energy - 1) + std::abs(q[0] + q[1]);
  } else {
    return std::abs(q[0] - M::turns * angle);
  }
}

/// Motion of one pack, whose lanes have different singular positions.
template <class M, Integrator By, template <class, int, int> class Inverse>
std::vector<Arrival> pass_all(const std::vector<Place>& places) {
  using X = Pack<double>;
  using Loop = typename LoopOf<By>::template Loop<M, X, Inverse>;
  constexpr double dt = 1e-3;
  constexpr double speed = 6;
  constexpr int nq = Dim<M>::q;
  constexpr int n = Dim<M>::w;
  const auto loop = std::make_unique<Loop>();
  const auto member = std::make_unique<typename Loop::PersistentState>();
  *member = {};
  member->for_each_persistent([](X* numbers, int count) { std::fill_n(numbers, count, X(0)); });
  member->rank = X(-1);
  for (auto& each : member->rotation.data) each = X(0);
  double p[3][X::lanes];
  double q[nq][X::lanes];
  double w[n][X::lanes];
  for (int i = 0; i < X::lanes; ++i) {
    const Place& place = places[static_cast<std::size_t>(i)];
    const Vec<double, 3> own = {M::singular_angle - speed * dt * (place.step + place.part), speed, 0.3};
    Vec<double, nq> own_q;
    Vec<double, n> own_w;
    M::start(own, own_q, own_w);
    for (int k = 0; k < 3; ++k) p[k][i] = own[k];
    for (int k = 0; k < nq; ++k) q[k][i] = own_q[k];
    for (int k = 0; k < n; ++k) w[k][i] = own_w[k];
  }
  for (int k = 0; k < 3; ++k) member->p[k] = X::load(p[k]);
  for (int k = 0; k < nq; ++k) member->q[k] = X::load(q[k]);
  for (int k = 0; k < n; ++k) member->w[k] = X::load(w[k]);
  Method method;
  method.integrator = By;
  const TimeGrid time = {.start = 0, .end = 30 * dt, .dt = dt, .save_every = 0};
  loop->start(Solo{}, *member, method, X(0), true);
  loop->advance(Solo{}, *member, method, time, 0, time.steps());
  std::vector<Arrival> arrivals;
  for (int i = 0; i < X::lanes; ++i) {
    Arrival arrival = {lane(member->status, i), lane(member->singular_passages, i), 0, {}};
    Vec<double, nq> own_q;
    Vec<double, n> own_w;
    for (int k = 0; k < nq; ++k) arrival.state.push_back(own_q[k] = lane(member->q[k], i));
    for (int k = 0; k < n; ++k) arrival.state.push_back(own_w[k] = lane(member->w[k], i));
    arrival.error = error_of<M>({p[0][i], p[1][i], p[2][i]}, p[0][i] + speed * time.end, own_q, own_w);
    arrivals.push_back(arrival);
  }
  return arrivals;
}

template <class M, Integrator By, template <class, int, int> class Inverse>
void expect_passage_everywhere() {
  SCOPED_TRACE(M::name);
  constexpr std::size_t lanes = Pack<double>::lanes;
  const std::vector<double> parts = places_in_a_step();
  for (const int step : {0, 3, 9}) {
    std::vector<Place> places;
    // Neighbours in a pack are far apart, so that each is near its singular position alone.
    for (std::size_t i = 0; i < parts.size(); ++i) places.push_back({step, parts[i * 389 % parts.size()]});
    while (places.size() % lanes != 0) places.push_back(places.back());
    int failed = 0;
    for (std::size_t first = 0; first < places.size(); first += lanes) {
      const std::vector<Place> own(places.begin() + static_cast<long>(first),
                                   places.begin() + static_cast<long>(first + lanes));
      const std::vector<Arrival> found = pass_all<M, By, Inverse>(own);
      for (std::size_t i = 0; i < lanes; ++i) {
        const bool right = found[i].status == 0 && found[i].passages >= 1 && found[i].error < 1e-8;
        failed += right ? 0 : 1;
        EXPECT_TRUE(right || failed > 3) << "step " << step << " part " << own[i].part << " status " << found[i].status
                                         << " passages " << found[i].passages << " error " << found[i].error;
      }
      if (first / lanes % 16 != 0) continue;
      const std::vector<Arrival> alone = pass_all<M, By, Inverse>(std::vector<Place>(lanes, own[1]));
      EXPECT_EQ(alone[0].state, found[1].state) << "step " << step << " part " << own[1].part;
    }
    EXPECT_EQ(failed, 0) << "of " << places.size() << " at step " << step;
  }
}

template <Integrator By, template <class, int, int> class Inverse>
void expect_every_linkage_passes() {
  expect_passage_everywhere<DrivenRod, By, Inverse>();
  expect_passage_everywhere<DrivenCrank, By, Inverse>();
  expect_passage_everywhere<DrivenPiston, By, Inverse>();
  expect_passage_everywhere<FoldingCrank, By, Inverse>();
}

}  // namespace kalaba::test
