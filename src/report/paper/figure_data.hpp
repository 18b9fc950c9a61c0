#pragma once

#include <array>
#include <vector>

#include "kalaba/ensemble.hpp"
#include "output/base/reader.hpp"
#include "report/paper/figures.hpp"

namespace kalaba {

/// A figure's system: the catalogue's of that name, or one that only a figure needs.
const System& figure_system(const std::string& name);

/// The column of that name with its unit and field. Throws Error where the system has none.
Column figure_column(const SystemInfo& system, const std::string& name);

/// The numbers of a figure: what its runs saved.
class FigureData {
 public:
  /// Integrates the figure's runs on the cpu backend. Throws Error where one of them fails.
  explicit FigureData(const PaperFigure& figure);

  /// A curve's points in order of time, in the panel's coordinates.
  std::vector<std::array<double, 2>> points(const FigurePanel& panel, const FigureCurve& curve) const;

 private:
  std::vector<Result> results_;
};

}  // namespace kalaba
