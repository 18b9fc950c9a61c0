#pragma once

#include <array>
#include <string>

#include "report/data/agents.hpp"
#include "report/figure/page.hpp"

namespace kalaba {

/// How the places of agents fall onto a panel, on equal scales: in the plane as they are, in space as seen from above
/// and aside, over a floor.
class AgentView {
 public:
  /// `box` is what the panel is to show at least.
  AgentView(const std::vector<Column>& axes, const Box& box, const PanelFrame& frame);

  /// Where an agent is drawn, and how far back it is: 0 (nearest) to 1; 0 in the plane.
  struct Spot {
    double across;
    double up;
    double depth;
  };
  Spot spot(const Agents& agents, std::size_t time, std::size_t agent) const;
  /// Of its foot on the floor.
  Spot shadow(const Agents& agents, std::size_t time, std::size_t agent) const;

  /// Heading, axes and ranges; datablocks of what is drawn below the agents.
  std::string axes_text(const std::string& heading) const;
  /// gnuplot's `plot` with what is drawn below the agents, ready for further terms; each begins with a comma.
  std::string plot_text() const;

 private:
  Spot project(const std::array<double, 3>& place) const;
  void draw_floor(std::string& text) const;

  std::vector<Column> axes_;
  Box box_;  // in space a cube
  Range across_;
  Range up_;
};

}  // namespace kalaba
