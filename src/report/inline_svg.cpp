#include "report/inline_svg.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>

#include "kalaba/error.hpp"
#include "report/gnuplot.hpp"
#include "report/html.hpp"

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

/// Takes out what lies from `begin` to the end of the next `end`.
void cut(std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  const std::size_t to = from == std::string::npos ? from : text.find(end, from);
  if (to != std::string::npos) text.erase(from, to + end.size() - from);
}

}  // namespace

std::string inline_svg(const std::string& script, const std::string& name, const std::string& words) {
  std::string svg = drawn(script);
  svg.erase(0, std::min(svg.find("<svg"), svg.size()));
  cut(svg, " width=", "\n");  // and height: the place decides
  cut(svg, "<title>", "</title>");
  cut(svg, "<desc>", "</desc>");
  for (const char* before : {"id='", "id=\"", "'#"}) replace_all(svg, before, before + name + "_");
  replace_all(svg, "font-family=\"DejaVu Sans Bold\"", "font-weight=\"600\"");
  replace_all(svg, " font-family=\"DejaVu Sans\"", "");
  svg.insert(std::strlen("<svg"), fmt::format(" role=\"img\" aria-label=\"{}\"", html_text(words)));
  return svg;
}

}  // namespace kalaba
