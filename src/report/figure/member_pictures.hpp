#pragma once

#include <memory>
#include <string>
#include <vector>

#include "report/data/member_sample.hpp"
#include "report/figure/drawn_panel.hpp"
#include "report/figure/event_panels.hpp"
#include "report/figure/plot.hpp"

namespace kalaba {

/// A netCDF file opened for pictures of all its members.
struct MemberFile {
  Archive archive;
  std::unique_ptr<Reader> reader;
  MemberSample members;

  MemberFile(const std::string& path, long most);
};

/// The kinds of pictures that look at members all at once: heatmap, density, events, invariants.
const std::vector<std::string>& member_picture_kinds();

/// Whether a picture is one of these, or of a mechanism that moves.
bool is_member_picture(const std::string& path, const PlotOptions& options);

/// Throws Error where an option is given that the kind of picture has no use for.
void check_used(const PlotOptions& options, bool of_members);

/// Draws it to `picture`, whose ending is known. Returns what is left out, in words.
std::string plot_members(const std::string& path, const PlotOptions& options, const std::string& picture,
                         const std::string& ending);

// Their panels, for pages too; none where the file has nothing for them.

/// Of these numbers of the members (member_number) over two inputs, `over`, or the first two that were varied.
std::vector<DrawnPanel> heatmap_panels(const MemberSample& members, const PlotOptions& options, std::size_t most_cells);
/// A histogram and a survival curve an event.
std::vector<DrawnPanel> event_panels(const MemberSample& members);
/// Where members are at the last saved time, in the planes of the first two coordinates or of pairs as named.
std::vector<DrawnPanel> density_panels(const MemberSample& members, const PlotOptions& options, std::size_t most_cells);

}  // namespace kalaba
