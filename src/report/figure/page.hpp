#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kalaba {

/// Frame of a panel on a page, in pixels from the page's lower left corner.
struct PanelFrame {
  double left = 0;
  double right = 0;
  double bottom = 0;
  double top = 0;

  double height() const { return top - bottom; }
  double aspect() const { return (right - left) / height(); }
};

/// Size of a page, pixels.
struct PageSize {
  double width = 1600;
  double row_height = 440;
};

/// Page with rows of panels under a title; every row fills the width.
class Page {
 public:
  /// `row_sizes`: number of panels in each row. `legend`: legend of all panels, as gnuplot's `keyentry` terms.
  Page(const std::vector<std::size_t>& row_sizes, const std::string& title, const std::string& subtitle,
       const std::vector<std::string>& legend, const PageSize& size = {});

  /// One frame per panel, row by row.
  const std::vector<PanelFrame>& frames() const { return frames_; }

  /// Complete gnuplot script from one text per panel. `ending`: ".png" or ".svg".
  std::string script(const std::string& ending, const std::vector<std::string>& panels) const;
  /// Script of an animated GIF from one text per panel, for each frame.
  std::string animation(const std::vector<std::vector<std::string>>& frames) const;

 private:
  std::string begin(const std::string& terminal) const;
  std::string sheet(const std::vector<std::string>& panels) const;
  std::string head() const;

  double width_;
  double height_;
  std::string title_;
  std::string subtitle_;
  std::vector<std::string> legend_;
  std::vector<PanelFrame> frames_;
};

/// Script of a single panel as an SVG without a background, sizes in pixels; panel_frame returns its frame.
std::string panel_script(double width, double height, const std::string& panel);
PanelFrame panel_frame(double width, double height);

/// Supported still picture formats, by ending.
const std::vector<std::string>& picture_endings();

/// Ending of a picture's name. Throws Error if the format is not supported.
std::string picture_ending(const std::string& path);

/// Palette: one hue for data, one for highlighted data.
namespace color {
inline constexpr const char* ink = "#26323d";
inline constexpr const char* soft_ink = "#66727e";
inline constexpr const char* grid = "#e8ebee";
inline constexpr const char* wide_band = "#dce8f4";
inline constexpr const char* narrow_band = "#a9c8e6";
inline constexpr const char* line = "#1d5a96";
inline constexpr const char* second_line = "#b0563b";
inline constexpr const char* highlight = "#e07b1a";
/// For curves that must be distinguished.
inline constexpr std::array curves = {line, second_line, "#2f7d5b", highlight, "#7a55a5"};

/// The number of "#1d5a96".
unsigned number(std::string_view color);
/// Interpolates between the numbers of two colours, separately in red, green and blue.
unsigned mixed(unsigned from, unsigned to, double share);
}  // namespace color

/// Panel with its own data, for pages and reports.
struct DrawnPanel {
  std::string words;                                   ///< description of its content, and of its members
  std::function<std::string(const PanelFrame&)> text;  ///< returns the gnuplot text; the page sets frame and style
};

}  // namespace kalaba
