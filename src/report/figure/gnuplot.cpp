#include "report/figure/gnuplot.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>

#include "kalaba/error.hpp"
#include "report/text/html.hpp"

namespace kalaba {
namespace {

constexpr std::size_t most_error_text = 2000;

[[noreturn]] void fail(const std::string& message) { throw Error(ExitCode::file_error, message); }

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using TemporaryFile = std::unique_ptr<std::FILE, CloseFile>;

TemporaryFile temporary_file() {
  TemporaryFile file(std::tmpfile());
  if (!file) fail(fmt::format("cannot make a temporary file for gnuplot: {}", std::strerror(errno)));
  return file;
}

/// Script in a file rather than a pipe, so that an early end of gnuplot causes neither a deadlock nor a signal.
TemporaryFile file_of(const std::string& text) {
  TemporaryFile file = temporary_file();
  const bool written =
      std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() && std::fflush(file.get()) == 0;
  if (!written) fail(fmt::format("cannot write a temporary file for gnuplot: {}", std::strerror(errno)));
  std::rewind(file.get());
  return file;
}

std::string text_of(std::FILE* file) {
  std::rewind(file);
  std::string text;
  char piece[1 << 16];
  for (std::size_t count; (count = std::fread(piece, 1, sizeof piece, file)) > 0;) text.append(piece, count);
  return text;
}

/// Exit status of gnuplot, or -1 if a signal ended it.
int spawn_gnuplot(int input, int output, int errors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
#if defined(__GLIBC_PREREQ) && __GLIBC_PREREQ(2, 34)
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);  // includes locks of other threads
#endif
  // -d: ignores the user's gnuplot settings. The script is passed by name: gnuplot reads its standard input byte by
  // byte.
  char program[] = "gnuplot";
  char defaults[] = "-d";
  char script[] = "/dev/stdin";
  char* const arguments[] = {program, defaults, script, nullptr};
  pid_t child = 0;
  const int failure = ::posix_spawnp(&child, program, &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) {
    fail(fmt::format("gnuplot, which draws the pictures, cannot be run: {}. Install it (Debian: gnuplot-nox).",
                     std::strerror(failure)));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) fail(fmt::format("cannot wait for gnuplot: {}", std::strerror(errno)));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
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

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (char c : text) {
    if (c == '\'') result += '\'';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + "'";
}

std::string gnuplot_number(double value) { return std::isfinite(value) ? fmt::format("{:.12g}", value) : "NaN"; }

void run_gnuplot(const std::string& script, int picture) {
  const TemporaryFile input = file_of(script);
  const TemporaryFile errors = temporary_file();
  const int status = spawn_gnuplot(::fileno(input.get()), picture, ::fileno(errors.get()));
  if (status != 0)
    fail(fmt::format("gnuplot failed (exit status {}): {}", status, text_of(errors.get()).substr(0, most_error_text)));
  if (::lseek(picture, 0, SEEK_END) <= 0)
    fail("gnuplot drew nothing: " + text_of(errors.get()).substr(0, most_error_text));
}

std::vector<std::string> draw_svgs(const std::vector<std::string>& scripts) {
  std::string all;
  for (const std::string& script : scripts) all += script + "\n";
  std::vector<std::string> svgs;
  if (scripts.empty()) return svgs;
  const TemporaryFile picture = temporary_file();
  run_gnuplot(all, ::fileno(picture.get()));
  const std::string text = text_of(picture.get());
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
