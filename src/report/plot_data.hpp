#pragma once

#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "output/reader.hpp"
#include "report/plot.hpp"

namespace kalaba {

enum class PlotKind { snapshots, fan, path, residual, histogram, animation };

/// What a picture shows, and the numbers for it: all that were saved, or evenly thinned to what a picture can hold.
struct PlotData {
  Contents contents;
  std::vector<PlotKind> kinds;
  std::vector<std::size_t> variables;  ///< columns to draw
  std::vector<std::size_t> errors;     ///< the columns of violation and residual, where the file has them
  std::vector<long> times;             ///< sampled, as indices into contents.times
  std::vector<long> members;           ///< sampled, as numbers of members
  std::map<std::size_t, std::vector<double>> values;  ///< by column, [time][member] as sampled
  long highlight = -1;                                ///< index into `members`, or -1
  bool has_agents = false;      ///< the file holds where a swarm's agents are, and of several swarms one was chosen
  bool of_agents = false;       ///< paths are the agents'; no variables were named
  std::vector<long> snapshots;  ///< saved times of the snapshots, as indices
  double swarm_end = std::numeric_limits<double>::infinity();  ///< s: when the swarm whose agents are shown failed
  std::string left_out;                                        ///< how many members failed; "" for none
  std::string title;
  std::vector<std::string> notes;  ///< for the line under the title

  double time(std::size_t index) const { return contents.times[static_cast<std::size_t>(times[index])]; }
  const Column& column(std::size_t index) const { return contents.columns[index]; }
  /// A column at a sampled time, one number a sampled member.
  std::span<const double> row(std::size_t column, std::size_t time) const {
    return std::span(values.at(column)).subspan(time * members.size(), members.size());
  }
};

/// 0, step, 2 step, ... and the last of `count` numbers; at most about `most` of them.
std::vector<long> evenly(long count, long most);

PlotData read_plot_data(const std::string& path, const PlotOptions& options);

}  // namespace kalaba
