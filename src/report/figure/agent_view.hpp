#pragma once

#include <array>
#include <string>

#include "report/data/agents.hpp"
#include "report/figure/page.hpp"

namespace kalaba {

/// Projection of agent positions onto a panel, with equal scales: unchanged in the plane; in space a view obliquely
/// from above, with a floor.
class AgentView {
 public:
  /// `box`: minimum range that the panel shows.
  AgentView(const std::vector<Column>& axes, const Box& box, const PanelFrame& frame);

  /// Position of an agent on the panel, and its depth: 0 (nearest) to 1; 0 in the plane.
  struct Spot {
    double across;
    double up;
    double depth;
  };
  Spot spot(const Agents& agents, std::size_t time, std::size_t agent) const;
  /// Position of its vertical projection on the floor.
  Spot shadow(const Agents& agents, std::size_t time, std::size_t agent) const;

  /// gnuplot text for heading, axes and ranges, with datablocks of the background.
  std::string axes_text(const std::string& heading) const;
  /// gnuplot's `plot` of the background, to which further terms are appended; each begins with a comma.
  std::string plot_text() const;

 private:
  Spot project(const std::array<double, 3>& place) const;
  void draw_floor(std::string& text) const;

  std::vector<Column> axes_;
  Box box_;  // a cube in space
  Range across_;
  Range up_;
};

}  // namespace kalaba
