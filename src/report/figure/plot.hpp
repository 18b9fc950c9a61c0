#pragma once

#include <string>
#include <vector>

namespace kalaba {

struct PlotOptions {
  std::string output;  ///< a .png or .svg, of an animation a .gif; empty: a .png or .gif beside the data
  /// fan | path | phase | residual | histogram | auto (all that the data has, in one picture); heatmap | density |
  /// events | invariants; of swarms, and of systems whose points are known, snapshots | animation
  std::string kind = "auto";
  std::vector<std::string> variables;  ///< names of columns; empty: the coordinates, at most six
  long member = -1;  ///< a member to highlight (of one swarm an agent, of many the one whose agents to show)
  std::vector<double> times = {};        ///< s: of snapshots; empty: evenly chosen saved times
  std::vector<std::string> over = {};    ///< heatmap: two parameters or initial values; empty: the first two varied
  std::vector<std::string> starts = {};  ///< coordinates and rates whose initial values were varied
  long most_members = 0;                 ///< that are read, at least 1000; 0: as many as a picture can tell apart
  std::string drawing = {};              ///< snapshots and animations: points and segments (report/drawing.hpp)
};

struct Picture {
  std::string path;
  std::string left_out;  ///< how many members failed or were stopped, which are not drawn from then on; "" for none
};

/// Draws a data file (.nc or .csv) with gnuplot. Large files are thinned evenly; the picture says so. Throws Error on
/// unknown kinds, variables and members, on a picture that the data cannot give, and where gnuplot is absent or fails.
Picture plot_file(const std::string& data_path, const PlotOptions& options);

}  // namespace kalaba
