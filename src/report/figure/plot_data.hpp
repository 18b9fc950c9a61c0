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

/// Two variables that span the plane of a panel, as columns.
struct PlanePair {
  std::size_t across;
  std::size_t up;
};

/// Description of a picture, and its numbers: all saved ones, or evenly thinned to the capacity of a picture.
struct PlotData {
  Contents contents;
  std::vector<PlotKind> kinds;
  std::vector<std::size_t> variables;                 ///< columns to draw
  std::vector<std::size_t> errors;                    ///< columns of violation and residual, if the file has them
  std::vector<long> times;                            ///< sampled times, as indices into contents.times
  std::vector<long> members;                          ///< sampled members, as their numbers
  std::map<std::size_t, std::vector<double>> values;  ///< per column, [time][member] as sampled
  long highlight = -1;                                ///< index into `members`, or -1
  bool has_agents = false;      ///< the file has positions of agents; of several swarms one was chosen
  bool of_agents = false;       ///< paths are those of agents; no variables were named
  std::vector<long> snapshots;  ///< saved times of the snapshots, as indices
  double swarm_end = std::numeric_limits<double>::infinity();  ///< s: failure time of the swarm whose agents are shown
  std::string left_out;  ///< number of members that failed or were stopped; "": none
  std::string title;
  std::vector<std::string> notes;  ///< for the subtitle

  std::vector<PlanePair> paths;   ///< planes of paths: all pairs of the named variables
  std::vector<PlanePair> phases;  ///< planes of phase portraits: a coordinate and its rate, or as named

  double time(std::size_t index) const { return contents.times[static_cast<std::size_t>(times[index])]; }
  const Column& column(std::size_t index) const { return contents.columns[index]; }
  /// A column at a sampled time, one number per sampled member.
  std::span<const double> row(std::size_t column, std::size_t time) const {
    return std::span(values.at(column)).subspan(time * members.size(), members.size());
  }
};

/// 0, step, 2 step, ... and the last of `count` numbers; about `most` numbers at most.
std::vector<long> evenly(long count, long most);

/// Title of pictures of a file: its system, or its name.
std::string title_of(const Contents& contents, const std::string& path);
/// "2,000 members", or "1,000 of 2,000 members, evenly chosen"; likewise for the agents of one swarm.
std::string members_in_words(const PlotData& data);

constexpr bool is_error(Field field) { return field == Field::violation || field == Field::residual; }

PlotData read_plot_data(const std::string& path, const PlotOptions& options);

}  // namespace kalaba
