#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kalaba/event.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Drawing of a mechanism, parsed from text: items separated by semicolons, each
///
///     bob = (x, y, -z)              a point by a name of its own, drawn as a dot where it moves
///     (0, 0, 0) -- bob -- (1, 0, 0)     segments between points
///     curve (x + R*cos(s), y + R*sin(s))     a closed line over s from 0 to 2 pi
///
/// A place is two or three expressions, in the plane or in space (the third upwards), of the coordinates, rates,
/// parameters and t, with the syntax of events.
struct Drawing {
  struct Place {
    std::array<Expression, 3> axes = {};
    bool moves = false;  ///< depends on time or state
  };
  struct Point {
    std::string name;  ///< "" if it has none
    Place place;
  };
  struct Line {
    std::vector<std::size_t> points;  ///< indices into Drawing::points
  };

  /// Numbers of all points, in their order, for the parameters and coordinates of a member.
  using Positions = std::function<std::vector<double>(std::span<const double> parameters, std::span<const double> q)>;

  int dimensions = 2;
  std::string axes = "xyz";  ///< names of the numbers of a place
  std::vector<Point> points;
  std::vector<Line> lines;
  std::vector<Place> curves;
  Positions positions = nullptr;  ///< of a model; null: the points have expressions
};

/// Drawing of the model of a scenario, given as TOML; none if it has none.
using DrawingOfScenario = std::function<std::optional<Drawing>(const std::string& scenario)>;

/// Throws Error(bad_input) with the expected text and the position of the error.
Drawing read_drawing(const std::string& text, const SystemInfo& system);

/// Drawing of a catalogue system with this number of coordinates; "" if there is none (src/report/data/mechanisms.cpp).
std::string drawing_of(std::string_view system, std::size_t coordinates);

/// Position of a place for a member's state: 2 or 3 numbers. `s`: curve parameter.
std::array<double, 3> place_of(const Drawing& drawing, const Drawing::Place& place, std::span<const double> parameters,
                               double t, std::span<const double> q, std::span<const double> w, double s = 0);

}  // namespace kalaba
