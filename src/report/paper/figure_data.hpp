#pragma once

#include <array>
#include <vector>

#include "kalaba/ensemble.hpp"
#include "output/base/reader.hpp"
#include "report/paper/figures.hpp"

namespace kalaba {

/// System of a figure: of the catalogue, or one that only a figure uses.
const System& figure_system(const std::string& name);

/// Column of that name with its unit and field. Throws Error if the system has none.
Column figure_column(const SystemInfo& system, const std::string& name);

/// Numbers of a figure, saved by its runs.
class FigureData {
 public:
  /// Integrates the figure's runs on the cpu backend. Throws Error if one of them fails.
  explicit FigureData(const PaperFigure& figure);

  /// Points of a curve in order of time, in the panel's coordinates.
  std::vector<std::array<double, 2>> points(const FigurePanel& panel, const FigureCurve& curve) const;

 private:
  std::vector<Result> results_;
};

}  // namespace kalaba
