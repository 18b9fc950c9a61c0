#pragma once

#include <string>
#include <vector>

#include "report/data/drawing.hpp"

namespace kalaba {

struct PlotOptions {
  std::string output;  ///< a .png or .svg, or .gif for an animation; empty: a .png or .gif beside the data
  /// fan | path | phase | residual | histogram | auto (all kinds that the data permits, in one picture); heatmap |
  /// scatter | density | events | invariants; for swarms, and for systems with a drawing, snapshots | animation
  std::string kind = "auto";
  std::vector<std::string> variables;  ///< names of columns; empty: the coordinates, at most six
  long member = -1;  ///< highlighted member (for one swarm an agent, for many the one whose agents are shown)
  std::vector<double> times = {};  ///< s: of snapshots; empty: evenly chosen saved times
  /// heatmap: two parameters or starts; scatter: one or two numbers of members; empty: the first that vary
  std::vector<std::string> over = {};
  std::vector<std::string> starts = {};  ///< coordinates and rates whose starts were varied
  long most_members = 0;                 ///< maximum number that is read, at least 1000; 0: default of the kind
  std::string drawing = {};              ///< snapshots and animations: points and segments (report/drawing.hpp)
  DrawingOfScenario drawing_of_model = nullptr;
};

/// Maximum number of frames of an animation.
inline constexpr long most_frames = 100;

struct Picture {
  std::string path;
  std::string left_out;  ///< number of members that failed or were stopped, and are not drawn afterwards; "": none
};

/// Draws a data file (.nc or .csv) with gnuplot. Large files are thinned evenly, which the picture states. Throws Error
/// for unknown kinds, variables and members, for a picture that the data does not permit, and if gnuplot is not
/// installed or fails.
Picture plot_file(const std::string& data_path, const PlotOptions& options);

}  // namespace kalaba
