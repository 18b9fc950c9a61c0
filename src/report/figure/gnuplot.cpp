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

namespace kalaba {
namespace {

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
  std::string text(2000, '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
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
  if (status != 0) fail(fmt::format("gnuplot failed (exit status {}): {}", status, text_of(errors.get())));
  if (::lseek(picture, 0, SEEK_END) <= 0) fail("gnuplot drew nothing: " + text_of(errors.get()));
}

}  // namespace kalaba
