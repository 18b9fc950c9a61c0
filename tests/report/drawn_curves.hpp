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

/// Number of plot elements of an SVG by gnuplot that draw data. An element whose data are all missing leaves nothing
/// but the sample of its key, which is not counted.
inline long drawn_curves(const std::string& svg) {
  long drawn = 0;
  std::size_t at = svg.find("gnuplot_plot_");
  while (at != std::string::npos) {
    const std::size_t end = svg.find("gnuplot_plot_", svg.find('>', at));
    const std::string element = svg.substr(at, end == std::string::npos ? end : end - at);
    const long marks = occurrences(element, " L") + occurrences(element, "<use") + occurrences(element, "<polygon") +
                       occurrences(element, "<image");
    const long samples = occurrences(element, "<text>") > 0 ? 1 : 0;
    drawn += marks > samples ? 1 : 0;
    at = end;
  }
  return drawn;
}

/// Rows of the data block `name` of a gnuplot text; empty lines are left out.
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
