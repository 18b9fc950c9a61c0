#pragma once

#include "kalaba/core/base/portable.hpp"

namespace kalaba {

/// Device data of a swarm besides its agents. Every number is a double.
struct SwarmRecord {
  double status;        ///< a Status
  double failure_time;  ///< s
  double settled;       ///< s; time at which the swarm settled, NaN before
  double agent;         ///< failed agent
  double other;         ///< agent that coincides with it
  double active;        ///< 1 while the current evaluations succeed
  double beta_norm;     ///< m/s, at the last observation
  double sums[6];       ///< over the agents: positions, then velocities, of the state that is evaluated next
};

/// Indices of a swarm's parameters: the mass, the law's own, and these.
struct SwarmPlaces {
  int kappa;
  KALABA_FN constexpr int law() const { return 1; }
  KALABA_FN constexpr int strength() const { return kappa + 1; }
  KALABA_FN constexpr int active() const { return kappa + 2; }
  KALABA_FN constexpr int settled() const { return kappa + 4; }
  KALABA_FN constexpr int count() const { return kappa + 5; }
};

/// Rows of one number per agent, in D dimensions each.
enum class SwarmRow : int {
  x = 0,
  w = 1,
  next_x = 2,  ///< at the end of the step; or beta, after an observation
  next_w = 3,  ///< velocity at the end of the step; or the acceleration
  stage_x = 4,
  stage_w = 5,
};

/// Purpose of one evaluation of a swarm's acceleration.
enum class SwarmMove : int {
  first = 0,  ///< stages of the classical Runge-Kutta method
  second = 1,
  third = 2,
  last = 3,
  project = 4,  ///< projects the velocities onto beta = 0
  look = 5,     ///< stores beta and the acceleration in the rows of the next state
  begin = 6,    ///< no evaluation: only the totals of the state were accumulated
};

/// Swarms in the memory of a device, with the agent fastest:
///
///     x:   | of member 0: agent 0, 1, 2, ... pad | of member 1 | ...
///             <------------ stride ----------->
///     y:   | ...                                     <- pitch numbers from row to row
struct SwarmBatch {
  double* rows;              ///< [row][axis][pitch]
  const double* parameters;  ///< [member][parameter]
  SwarmRecord* records;      ///< [member]
  // For swarms that many blocks share:
  void* sources;   ///< [2][member][stride] of SwarmSource
  double* sums;    ///< [member][segment][2 D + 1][stride]
  double* totals;  ///< [member][chunk] of SwarmTotals
  long members;
  long stride;
  long pitch;
  double rate_gain;  ///< 1/s: gain of the method, in addition to kappa
};

/// Distribution of the pairs of a swarm that many blocks share. The order of summation does not depend on the launch.
struct SwarmCut {
  long agents;

  static constexpr long tile = 256;    ///< sources that a block holds at once; in single precision summed separately
  static constexpr long chunk = 1024;  ///< agents per block for the totals

  KALABA_FN constexpr long tiles() const { return rounded_up(agents, tile); }
  KALABA_FN constexpr long chunks() const { return rounded_up(agents, chunk); }
  /// Number of segments of the sources with separate sums: enough to occupy a device if there are few agents.
  KALABA_FN constexpr long segments() const { return rounded_up(tiles(), tiles_a_segment()); }
  KALABA_FN constexpr long tiles_a_segment() const {
    constexpr long wanted_blocks = 1024;
    return rounded_up(tiles(), rounded_up(wanted_blocks, tiles()));
  }

 private:
  KALABA_FN static constexpr long rounded_up(long all, long each) { return (all + each - 1) / each; }
};

}  // namespace kalaba
