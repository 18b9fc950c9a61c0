#pragma once

#include <string>
#include <vector>

#include "report/data/agents.hpp"
#include "report/data/drawing.hpp"
#include "report/data/member_sample.hpp"
#include "report/figure/page.hpp"

namespace kalaba {

/// A member's mechanism at chosen saved times, as long as the member counts: positions of the drawing's points, then of
/// its curves, `curve_points` each.
struct Poses {
  static constexpr std::size_t curve_points = 49;

  Drawing drawing;
  Agents places;
  long member = 0;
};

/// Drawing of the file's system: from this text, or else from the catalogue, or else of its model; none if there is
/// none.
std::optional<Drawing> drawing_for(const Archive& archive, const std::string& text, const DrawingOfScenario& of_model);

/// Names of the coordinates and rates that a drawing needs and the file does not have.
std::vector<std::string> missing_for(const Archive& archive, const Contents& contents, const Drawing& drawing);

/// Reads about `most` times at most, evenly chosen. Throws Error if the file has no such member or too little data of
/// it.
Poses read_poses(const Archive& archive, Reader& reader, const Drawing& drawing, long member, long most);

/// One frame of an animation, with the paths of the moving points.
std::string pose_panel(const Poses& poses, std::size_t time, const Box& box, const PanelFrame& frame);

/// All poses in one panel, darker with increasing time.
std::string strobe_panel(const Poses& poses, const PanelFrame& frame);

}  // namespace kalaba
