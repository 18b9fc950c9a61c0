#pragma once

#include <memory>
#include <string>
#include <vector>

#include "report/data/member_sample.hpp"
#include "report/figure/event_panels.hpp"
#include "report/figure/page.hpp"
#include "report/figure/plot.hpp"

namespace kalaba {

/// netCDF file opened for pictures of all its members.
struct MemberFile {
  Archive archive;
  std::unique_ptr<Reader> reader;
  MemberSample members;

  MemberFile(const std::string& path, long most);
};

/// Kinds of pictures that show all members at once: heatmap, scatter, density, events, invariants.
const std::vector<std::string>& member_picture_kinds();

/// Returns true if a picture has one of these kinds, or shows a moving mechanism.
bool is_member_picture(const std::string& path, const PlotOptions& options);

/// Throws Error for an option that does not apply to the kind of picture.
void check_used(const PlotOptions& options, bool of_members);

/// Draws the picture to `picture`, whose ending is valid. Returns a remark on the members left out.
std::string plot_members(const std::string& path, const PlotOptions& options, const std::string& picture,
                         const std::string& ending);

// Panels of these pictures, also for pages; empty if the file has no data for them.

/// Heat maps of these numbers of the members (member_number) over two inputs, `over`, or the first two that vary.
std::vector<DrawnPanel> heatmap_panels(const MemberSample& members, const PlotOptions& options, std::size_t most_cells);
/// A histogram and a survival curve per event.
std::vector<DrawnPanel> event_panels(const MemberSample& members);
/// Positions of members at the last saved time, in the plane of the first two coordinates or in the named planes.
std::vector<DrawnPanel> density_panels(const MemberSample& members, const PlotOptions& options, std::size_t most_cells);

}  // namespace kalaba
