#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kalaba/core/model/method.hpp"

namespace kalaba {

/// Run of a figure: one member of a system from its default start, over its default time.
struct FigureRun {
  std::string system;
  std::map<std::string, double> parameters = {};              ///< values that differ from the defaults
  std::optional<Stabilization> stabilization = std::nullopt;  ///< if it differs from the default
};

/// One column of a run as a function of another.
struct FigureCurve {
  std::string x = "";  ///< "": the time
  std::string y;
  std::string title = "";  ///< in the key, or for a path at its start; "" for a panel's only curve
  bool is_noise = false;   ///< rounding errors: points rather than a line
  std::size_t run = 0;     ///< index into PaperFigure::runs
};

/// One frame of a figure.
struct FigurePanel {
  std::string heading;
  std::vector<FigureCurve> curves;
  std::string x_label = "";  ///< "": the first curve's column with its unit; likewise y_label
  std::string y_label = "";
  bool log_y = false;     ///< draws |y| on a log axis
  bool is_path = false;   ///< in the plane: equal scales, with a mark at the start
  bool is_polar = false;  ///< the columns are radius and angle, drawn as Cartesian coordinates
};

/// Figure of a paper, reproduced from runs of the catalogue's systems.
struct PaperFigure {
  std::string name;  ///< SYSTEM_NUMBER
  std::string shows;
  std::string source;  ///< paper and number
  std::vector<FigureRun> runs;
  std::vector<FigurePanel> panels;  ///< two per row
};

/// All figures; to add one, add an entry to this table (src/report/paper/figures.cpp).
const std::vector<PaperFigure>& figures();

/// Finds a figure by its name. Throws Error naming the nearest valid name.
const PaperFigure& find_figure(const std::string& name);

}  // namespace kalaba
