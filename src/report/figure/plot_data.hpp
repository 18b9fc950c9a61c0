#pragma once

#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "output/base/reader.hpp"
#include "report/figure/plot.hpp"

namespace kalaba {

enum class PlotKind { snapshots, fan, path, phase, residual, histogram, animation };

/// The variables of a panel in a plane, as columns.
struct PlanePair {
  std::size_t across;
  std::size_t up;
};

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
  std::string left_out;                                        ///< how many members failed or were stopped; "" for none
  std::string title;
  std::vector<std::string> notes;  ///< for the line under the title

  std::vector<PlanePair> paths;   ///< the planes that paths are drawn in: of the named variables every two
  std::vector<PlanePair> phases;  ///< those of phase portraits: a coordinate and its rate, or as named

  double time(std::size_t index) const { return contents.times[static_cast<std::size_t>(times[index])]; }
  const Column& column(std::size_t index) const { return contents.columns[index]; }
  /// A column at a sampled time, one number a sampled member.
  std::span<const double> row(std::size_t column, std::size_t time) const {
    return std::span(values.at(column)).subspan(time * members.size(), members.size());
  }
};

/// 0, step, 2 step, ... and the last of `count` numbers; at most about `most` of them.
std::vector<long> evenly(long count, long most);

/// "2,000 members", "1,000 of 2,000 members, evenly chosen", likewise of one swarm's agents.
std::string members_in_words(const PlotData& data);

constexpr bool is_error(Field field) { return field == Field::violation || field == Field::residual; }

PlotData read_plot_data(const std::string& path, const PlotOptions& options);

}  // namespace kalaba
