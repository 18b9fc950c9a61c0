#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "cli/command.hpp"
#include "cli/named_systems.hpp"
#include "scenario/scenario.hpp"

namespace kalaba {
namespace {

struct InitRequest {
  std::string name;
  std::string file;
};

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw Error(ExitCode::file_error, fmt::format("{}: {}", path, what));
}

void write_new_file(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "wx");
  if (file == nullptr) {
    fail(path, errno == EEXIST ? "exists already and is left as it is"
                               : fmt::format("cannot be written: {}", std::strerror(errno)));
  }
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) == 0 && written) return;
  const std::string reason = std::strerror(errno);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  fail(path, "cannot be written: " + reason);
}

ExitCode init(const InitRequest& request) {
  const std::string text = scenario_template(*systems_named(request.name).front());
  if (request.file.empty()) {
    std::fputs(text.c_str(), stdout);
  } else {
    write_new_file(request.file, text);
    std::fputs(fmt::format("{}: run it with  kalaba run {}\n", request.file, request.file).c_str(), stderr);
  }
  return ExitCode::ok;
}

}  // namespace

Command add_init_command(CLI::App& app) {
  CLI::App* words = app.add_subcommand("init", "Write a commented scenario to start from");
  const auto request = std::make_shared<InitRequest>();
  words->add_option("NAME", request->name, "A system of the catalogue")->type_name("")->required();
  words->add_option("-o,--output", request->file, "A new file for it (standard output where left out)")
      ->type_name("FILE");
  words->footer("Example:\n  kalaba init spherical_pendulum -o pendulum.toml");
  return {words, [request] { return init(*request); }};
}

}  // namespace kalaba
