#pragma once

#include <span>
#include <string>
#include <vector>

#include "output/base/reader.hpp"
#include "report/data/statistics.hpp"

namespace kalaba {

/// Where the agents of a swarm are at chosen saved times; of many agents, some drawn at random.
struct Agents {
  std::vector<Column> axes;                 ///< x, y (and z)
  std::vector<double> times;                ///< s, as chosen
  std::vector<long> numbers;                ///< of the agents, ascending
  long all = 0;                             ///< agents of the swarm
  long highlight = -1;                      ///< index into `numbers`, or -1
  std::vector<std::vector<double>> places;  ///< [axis][time][agent]; NaN where an agent has no place

  bool in_space() const { return axes.size() == 3; }
  double at(std::size_t axis, std::size_t time, std::size_t agent) const {
    return places[axis][time * numbers.size() + agent];
  }
  /// ", 60 of 1,000": empty where all are here.
  std::string share() const;
};

/// Reads at most `most` agents at the saved times `times` (indices, ascending). `highlight`: an agent that is to be
/// among them, or -1.
Agents read_agents(Reader& swarm, const std::vector<long>& times, long most, long highlight);

/// Makes their places after `time` NaN: of a swarm that failed then.
void leave_out_after(double time, Agents& agents);

/// What a panel shows: a range an axis.
using Box = std::vector<Range>;
Box box_of(const Agents& agents);                    ///< at all times
Box box_of(const Agents& agents, std::size_t time);  ///< at one
double widest(const Box& box);

}  // namespace kalaba
