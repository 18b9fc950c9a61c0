#pragma once

#include <span>
#include <string>
#include <vector>

#include "output/base/reader.hpp"
#include "report/data/statistics.hpp"

namespace kalaba {

/// Positions of a swarm's agents at chosen saved times; of a random selection if there are many agents.
struct Agents {
  std::vector<Column> axes;                 ///< columns of x, y (and z)
  std::vector<double> times;                ///< s, selected
  std::vector<long> numbers;                ///< of the agents, ascending
  long all = 0;                             ///< number of agents in the swarm
  long highlight = -1;                      ///< index of the highlighted agent in `numbers`, or -1
  std::vector<std::vector<double>> places;  ///< [axis][time][agent]; NaN if an agent has no position

  bool in_space() const { return axes.size() == 3; }
  double at(std::size_t axis, std::size_t time, std::size_t agent) const {
    return places[axis][time * numbers.size() + agent];
  }
  /// ", 60 of 1,000"; empty if all agents are included.
  std::string share() const;
};

/// Reads at most `most` agents at the saved times `times` (indices, ascending). `highlight`: an agent that is always
/// included, or -1.
Agents read_agents(Reader& swarm, const std::vector<long>& times, long most, long highlight);

/// Sets their positions after `time`, at which the swarm failed, to NaN.
void leave_out_after(double time, Agents& agents);

/// Bounds of a panel: one range per axis.
using Box = std::vector<Range>;
Box box_of(const Agents& agents);                    ///< over all times
Box box_of(const Agents& agents, std::size_t time);  ///< at one time
double widest(const Box& box);

}  // namespace kalaba
