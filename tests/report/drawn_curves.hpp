#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace kalaba {

inline long occurrences(const std::string& text, const std::string& part) {
  long found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
  return found;
}

/// End of the SVG group that contains the position `at`.
inline std::size_t end_of_group(const std::string& svg, std::size_t at) {
  for (long depth = 1; depth > 0;) {
    const std::size_t open = svg.find("<g", at);
    const std::size_t close = svg.find("</g>", at);
    if (close == std::string::npos) return svg.size();
    depth += open < close ? 1 : -1;
    at = open < close ? open + 2 : close + 4;
  }
  return at;
}

/// Number of plot elements with data in an SVG by gnuplot. An element whose data are all missing leaves only its key
/// sample, which is not counted.
inline long drawn_curves(const std::string& svg) {
  long drawn = 0;
  const std::string name = "gnuplot_plot_";
  for (std::size_t at = 0; (at = svg.find("<g id=\"", at)) != std::string::npos;) {
    const std::size_t inside = svg.find('>', at);
    const bool is_element = svg.substr(at, inside - at).find(name) != std::string::npos;
    if (!is_element) {
      at = inside;
      continue;
    }
    const std::size_t end = end_of_group(svg, inside);
    const std::string element = svg.substr(at, end - at);
    const long marks = occurrences(element, " L") + occurrences(element, "<use") + occurrences(element, "<polygon") +
                       occurrences(element, "<image");
    const long samples = occurrences(element, "<text>") > 0 ? 1 : 0;
    drawn += marks > samples ? 1 : 0;
    at = end;
  }
  return drawn;
}

/// Rows of the data block `name` of a gnuplot text, without empty lines.
inline std::vector<std::vector<double>> rows_of(const std::string& text, const std::string& name) {
  std::vector<std::vector<double>> rows;
  const std::size_t begin = text.find(name + " << ");
  if (begin == std::string::npos) return rows;
  std::istringstream lines(text.substr(begin));
  std::string line;
  std::getline(lines, line);
  const std::string last = line.substr(line.rfind(' ') + 1);
  while (std::getline(lines, line) && line != last) {
    std::istringstream words(line);
    std::vector<double> row;
    for (std::string word; words >> word;) row.push_back(std::strtod(word.c_str(), nullptr));
    if (!row.empty()) rows.push_back(row);
  }
  return rows;
}

}  // namespace kalaba
