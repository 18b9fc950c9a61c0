#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kalaba/core/method.hpp"

namespace kalaba {

/// A run that a figure draws: one member of a system from its default start, over its default time.
struct FigureRun {
  std::string system;
  std::map<std::string, double> parameters = {};              ///< where they are not the defaults
  std::optional<Stabilization> stabilization = std::nullopt;  ///< where it is not the default
};

/// One column of a run over another.
struct FigureCurve {
  std::string x = "";  ///< "": the time
  std::string y;
  std::string title = "";  ///< in the key, in a path at its start; "" for a panel's only curve
  bool is_noise = false;   ///< of rounding: points rather than a line
  std::size_t run = 0;     ///< into PaperFigure::runs
};

/// One frame of a figure.
struct FigurePanel {
  std::string heading;
  std::vector<FigureCurve> curves;
  std::string x_label = "";  ///< "": the first curve's column with its unit; likewise y_label
  std::string y_label = "";
  bool log_y = false;     ///< |y|, on a log axis
  bool is_path = false;   ///< in the plane: equal scales, the start marked
  bool is_polar = false;  ///< the columns are a radius and an angle, drawn as Cartesian coordinates
};

/// A figure of a paper, redrawn from runs of the catalogue's systems.
struct PaperFigure {
  std::string name;  ///< SYSTEM_NUMBER
  std::string shows;
  std::string source;  ///< paper and number
  std::vector<FigureRun> runs;
  std::vector<FigurePanel> panels;  ///< two a row
};

/// All of them; one is added by an entry of this table (src/report/paper/figures.cpp).
const std::vector<PaperFigure>& figures();

/// Throws Error naming the nearest right word.
const PaperFigure& find_figure(const std::string& name);

}  // namespace kalaba
