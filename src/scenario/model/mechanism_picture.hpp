#pragma once

#include <string>
#include <vector>

#include "formula/graph/program.hpp"

namespace kalaba::text_model {

/// Lines that draw a mechanism, for any member and position.
struct MechanismPicture {
  struct Dot {
    std::string name;  ///< of a joint, or of a point under [model.points]
    int point = 0;
    bool moves = true;
  };
  std::string axes;                     ///< "xyz", or the two that vary
  formula::Program positions;           ///< of parameters and coordinates: of each point a number for each of `axes`
  std::vector<std::vector<int>> lines;  ///< points that a line goes through
  std::vector<Dot> dots;

  int points() const { return positions.outputs() / static_cast<int>(axes.size()); }
};

}  // namespace kalaba::text_model
