#include "report/figure/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "kalaba/error.hpp"
#include "report/figure/gnuplot.hpp"

namespace kalaba {
namespace {

// Pixels.
constexpr double head_height = 96;
constexpr double left_margin = 108;
constexpr double right_margin = 28;
constexpr double bottom_margin = 74;
constexpr double top_margin = 66;
constexpr double key_height = 50;  // above the frame and the heading

struct Terminal {
  const char* ending;
  const char* options;  // further options of `set terminal`
};
constexpr std::array<Terminal, 2> terminals = {{
    {".png", "pngcairo background rgb 'white' linewidth 1.6 fontscale 1.0"},
    {".svg", "svg background rgb 'white' linewidth 1.2 fontscale 1.25"},
}};

// The delay is in hundredths of a second. Without "optimize", which would restrict all frames to the colours of the
// first.
constexpr const char* animated_terminal =
    "gif animate delay 8 loop 0 background rgb 'white' linewidth 1.6 fontscale 1.0";

std::string terminal_of(const std::string& ending) {
  for (const Terminal& terminal : terminals) {
    if (ending == terminal.ending) return terminal.options;
  }
  return "";
}

/// Position of the panel on a page of this size, and its style. `key_place`: height of the key above the frame's
/// bottom, in frame heights.
std::string panel_start(const PanelFrame& frame, double width, double height, double key_place) {
  return fmt::format(
      "reset\n"
      "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
      "set bmargin at screen {:.5f}\nset tmargin at screen {:.5f}\n"
      "set border 3 lc rgb '{ink_soft}' lw 0.8\n"
      "set tics nomirror out scale 0.5 textcolor rgb '{ink_soft}' font ',12'\n"
      "set grid back lt 1 lc rgb '{grid}' lw 0.8\n"
      "set format '%.6g'\nset datafile missing 'NaN'\n"
      "set key at graph 1.0, graph {:.2f} right Left reverse horizontal samplen 1.6 height 0 font ',12' textcolor rgb "
      "'{ink_soft}' "
      "noenhanced\n",
      frame.left / width, frame.right / width, frame.bottom / height, frame.top / height, key_place,
      fmt::arg("ink_soft", color::soft_ink), fmt::arg("grid", color::grid));
}

}  // namespace

unsigned color::number(std::string_view color) {
  unsigned number = 0;
  std::from_chars(color.data() + 1, color.data() + color.size(), number, 16);
  return number;
}

unsigned color::mixed(unsigned from, unsigned to, double share) {
  unsigned result = 0;
  for (const int shift : {16, 8, 0}) {
    const double a = (from >> shift) & 255;
    const double b = (to >> shift) & 255;
    result |= static_cast<unsigned>(std::lround(a + share * (b - a))) << shift;
  }
  return result;
}

const std::vector<std::string>& picture_endings() {
  static const std::vector<std::string> endings = [] {
    std::vector<std::string> all;
    for (const Terminal& terminal : terminals) all.emplace_back(terminal.ending);
    return all;
  }();
  return endings;
}

std::string picture_ending(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (std::ranges::count(picture_endings(), ending) > 0) return ending;
  throw Error(ExitCode::bad_input,
              fmt::format("{}: a picture ends in {}, not in {}", path, fmt::join(picture_endings(), " or "),
                          ending.empty() ? "nothing" : ending));
}

PanelFrame panel_frame(double width, double height) {
  return {left_margin - 34, width - right_margin + 12, bottom_margin - 12, height - top_margin};
}

std::string panel_script(double width, double height, const std::string& panel) {
  return fmt::format("set encoding utf8\nset terminal svg linewidth 1.1 size {:.0f},{:.0f} font 'DejaVu Sans,12'\n",
                     width, height) +
         panel_start(panel_frame(width, height), width, height, 1 + key_height / panel_frame(width, height).height()) +
         panel;
}

Page::Page(const std::vector<std::size_t>& row_sizes, const std::string& title, const std::string& subtitle,
           const std::vector<std::string>& legend, const PageSize& size)
    : width_(size.width),
      height_(head_height + size.row_height * static_cast<double>(row_sizes.size())),
      title_(title),
      subtitle_(subtitle),
      legend_(legend) {
  double top = height_ - head_height;
  for (std::size_t count : row_sizes) {
    const double panel_width = width_ / static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i) {
      const double left = panel_width * static_cast<double>(i);
      frames_.push_back({left + left_margin, left + panel_width - right_margin, top - size.row_height + bottom_margin,
                         top - top_margin});
    }
    top -= size.row_height;
  }
}

std::string Page::head() const {
  std::string text = fmt::format(
      "set label 1 {} at screen {:.5f},{:.5f} left font 'DejaVu Sans Bold,19' textcolor rgb '{}' noenhanced\n"
      "set label 2 {} at screen {:.5f},{:.5f} left font ',13' textcolor rgb '{}' noenhanced\n"
      "set lmargin at screen 0\nset rmargin at screen 1\nset bmargin at screen 0\nset tmargin at screen 1\n"
      "unset border\nunset tics\n"
      "set key at screen {:.5f},{:.5f} right Left reverse horizontal maxrows 1 samplen 1.6 font ',13' textcolor rgb "
      "'{}' "
      "noenhanced\n"
      "plot [0:1][0:1] 2 notitle",
      quoted(title_), left_margin / width_, 1 - 42 / height_, color::ink, quoted(subtitle_), left_margin / width_,
      1 - 76 / height_, color::soft_ink, 1 - right_margin / width_, 1 - 32 / height_, color::soft_ink);
  for (const std::string& entry : legend_) text += ", keyentry " + entry;
  return text + "\n";
}

std::string Page::begin(const std::string& terminal) const {
  return fmt::format("set encoding utf8\nset terminal {} size {:.0f},{:.0f} font 'DejaVu Sans,13'\n", terminal, width_,
                     height_);
}

std::string Page::sheet(const std::vector<std::string>& panels) const {
  std::string text = "set multiplot\nreset\n" + head();
  for (std::size_t i = 0; i < panels.size(); ++i)
    text += panel_start(frames_[i], width_, height_, 1 + key_height / frames_[i].height()) + panels[i];
  return text + "unset multiplot\n";
}

std::string Page::script(const std::string& ending, const std::vector<std::string>& panels) const {
  return begin(terminal_of(ending)) + sheet(panels);
}

std::string Page::animation(const std::vector<std::vector<std::string>>& frames) const {
  std::string text = begin(animated_terminal);
  for (const std::vector<std::string>& panels : frames) text += sheet(panels);
  return text;
}

}  // namespace kalaba
