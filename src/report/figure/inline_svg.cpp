#include "report/figure/inline_svg.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>

#include "kalaba/error.hpp"
#include "report/figure/gnuplot.hpp"
#include "report/text/html.hpp"

namespace kalaba {
namespace {

std::string drawn(const std::string& script) {
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::tmpfile());
  if (!file) throw Error(ExitCode::file_error, "cannot make a temporary file for a picture");
  run_gnuplot(script, ::fileno(file.get()));
  std::rewind(file.get());
  std::string text;
  char piece[1 << 16];
  for (std::size_t count; (count = std::fread(piece, 1, sizeof piece, file.get())) > 0;) text.append(piece, count);
  return text;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  std::string result;
  std::size_t done = 0;
  for (std::size_t at; (at = text.find(from, done)) != std::string::npos; done = at + from.size()) {
    result.append(text, done, at - done).append(to);
  }
  text = result.append(text, done);
}

/// Removes everything from each `begin` to the next `end`.
void cut_all(std::string& text, const std::string& begin, const std::string& end) {
  std::string result;
  std::size_t done = 0;
  for (std::size_t from; (from = text.find(begin, done)) != std::string::npos;) {
    const std::size_t to = text.find(end, from);
    if (to == std::string::npos) break;
    result.append(text, done, from - done);
    done = to + end.size();
  }
  text = result.append(text, done);
}

}  // namespace

std::vector<std::string> draw_svgs(const std::vector<std::string>& scripts) {
  std::string all;
  for (const std::string& script : scripts) all += script + "\n";
  std::vector<std::string> svgs;
  if (scripts.empty()) return svgs;
  const std::string text = drawn(all);
  constexpr std::string_view end = "</svg>";
  std::size_t done = 0;
  for (std::size_t at; (at = text.find(end, done)) != std::string::npos; done = at + end.size()) {
    const std::size_t begin = std::min(text.find("<svg", done), at);
    svgs.push_back(text.substr(begin, at + end.size() - begin) + "\n");
  }
  if (svgs.size() != scripts.size()) {
    throw Error(ExitCode::file_error, fmt::format("gnuplot drew {} pictures of {}", svgs.size(), scripts.size()));
  }
  return svgs;
}

std::string inline_svg(std::string svg, const std::string& name, const std::string& words) {
  const std::size_t size = svg.find(" width=");  // removed with the height: the page sets the size
  if (size != std::string::npos) svg.erase(size, svg.find('\n', size) - size);
  cut_all(svg, "<title>", "</title>");  // browsers would show it as a tooltip
  cut_all(svg, "<desc>", "</desc>");
  for (const char* before : {"id='", "id=\"", "'#"}) replace_all(svg, before, before + name + "_");
  replace_all(svg, "font-family=\"DejaVu Sans Bold\"", "font-weight=\"600\"");
  replace_all(svg, " font-family=\"DejaVu Sans\"", "");
  replace_all(svg, "<image ", "<image style=\"image-rendering: pixelated\" ");
  svg.insert(std::strlen("<svg"), fmt::format(" role=\"img\" aria-label=\"{}\"", html_text(words)));
  return svg;
}

}  // namespace kalaba
