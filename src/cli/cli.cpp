#include "cli/cli.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/build_info.hpp"
#include "cli/command.hpp"
#include "cli/machine.hpp"
#include "cli/processes.hpp"
#include "cli/signals.hpp"
#include "text/encodings.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

constexpr auto command_adders = {
    add_run_command,     add_merge_command,    add_init_command,    add_list_command,   add_describe_command,
    add_devices_command, add_info_command,     add_plot_command,    add_report_command, add_export_command,
    add_check_command,   add_converge_command, add_compare_command, add_bench_command,  add_compile_command,
    add_submit_command,  add_fit_command,
};

constexpr const char* exit_codes =
    "Exit codes:\n"
    "  0    success\n"
    "  1    the run finished, but some members failed; or a check failed\n"
    "  2    the command line, the scenario or the model is wrong\n"
    "  3    a file cannot be read or written\n"
    "  4    the requested backend is not available\n"
    "  70   out of memory, or a fault of Kalaba itself\n"
    "  130  interrupted; the members that were finished are in NAME.partial.ENDING, and kalaba run --resume continues\n"
    "\n"
    "Example:\n"
    "  kalaba run spherical_pendulum -s ensemble.members=1000 -s 'parameters.L={uniform=[0.5, 2]}' -o pendulum.nc";

std::string version_text() {
  return fmt::format("kalaba {}\ncommit      {}\ncompiler    {}\nbuild       {}\narch        {}\nsanitizers  {}",
                     build_info.version, build_info.commit, build_info.compiler, build_info.build_type, build_info.arch,
                     build_info.sanitizers);
}

/// Returns the options of `place`, or its commands.
std::vector<std::string> words_like(const CLI::App& place, const std::string& word) {
  std::vector<std::string> words;
  if (word.starts_with('-')) {
    for (const CLI::Option* option : place.get_options()) {
      for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    }
  } else {
    for (const CLI::App* command : place.get_subcommands({})) words.push_back(command->get_name());
  }
  return words;
}

/// Message for an option that is given more than once, instead of the parser's "At Most 1 required but received 2".
std::string mismatch_text(const CLI::ArgumentMismatch& error) {
  const std::string text = error.what();
  const auto colon = text.find(": At Most 1 required but received ");
  if (colon == std::string::npos) return text;
  return fmt::format("{} is given {} times, expected it once", text.substr(0, colon), text.substr(text.rfind(' ') + 1));
}

/// Hint on the probable meaning of an extra argument.
std::string argument_hint(const CLI::App& place, const std::string& word) {
  const bool is_picture = word.ends_with(".png") || word.ends_with(".svg");
  const CLI::Option* const plot = place.get_option_no_throw("--plot");
  return is_picture && plot != nullptr && plot->count() > 0 ? fmt::format("; --plot={} names the picture", word) : "";
}

/// Throws for the first word that the command line does not accept.
[[noreturn]] void refuse(const CLI::App& app) {
  const bool before_command = !app.remaining().empty();
  const CLI::App& place = before_command ? app : *app.get_subcommands().front();
  const std::string written = app.remaining(true).front();
  const std::string word = written.substr(0, written.find('='));
  const std::string help = fmt::format("; see {} --help", before_command ? "kalaba" : "kalaba " + place.get_name());
  if (!before_command && !word.starts_with('-')) {
    throw Error(ExitCode::bad_input,
                fmt::format("'{}' is one argument too many{}{}", written, argument_hint(place, written), help));
  }
  throw Error(ExitCode::bad_input, fmt::format("there is no {} '{}'{}{}", word.starts_with('-') ? "option" : "command",
                                               word, suggestion(word, words_like(place, word)), help));
}

void describe_app(CLI::App& app) {
  app.name("kalaba");
  app.footer(exit_codes);
  app.set_version_flag("--version", version_text, "Show the version and how it was built");
  app.set_help_flag("-h,--help", "Show this help");
  app.get_formatter()->column_width(34);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.require_subcommand(1, 1);
}

/// Returns the arguments after the program's name, in reverse order; "--plot FILE" becomes one word, since --plot alone
/// is a flag.
std::vector<std::string> arguments_of(int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool is_picture = word.ends_with(".png") || word.ends_with(".svg");
    if (is_picture && !arguments.empty() && arguments.back() == "--plot") {
      arguments.back() += "=" + word;
    } else {
      arguments.push_back(word);
    }
  }
  std::ranges::reverse(arguments);
  return arguments;
}

ExitCode parse_and_run(int argc, const char* const* argv) {
  CLI::App app("Integrates ensembles of constrained mechanical systems.");
  describe_app(app);
  std::vector<Command> commands;
  for (const auto add : command_adders) {
    commands.push_back(add(CommandWords(&app)));
  }
  if (argc < 2) {
    std::fputs(app.help().c_str(), stderr);
    return ExitCode::bad_input;
  }
  try {
    app.parse(arguments_of(argc, argv));
  } catch (const CLI::Success& help) {
    if (!app.remaining().empty()) refuse(app);  // --help of a command that does not exist
    app.exit(help);
    return ExitCode::ok;
  } catch (const CLI::ArgumentMismatch& error) {
    throw Error(ExitCode::bad_input, mismatch_text(error));
  } catch (const CLI::ParseError& error) {
    if (!app.remaining(true).empty()) refuse(app);
    throw Error(ExitCode::bad_input, error.what());
  }
  const auto named =
      std::find_if(commands.begin(), commands.end(), [](const auto& each) { return each.words.app()->parsed(); });
  return named->run();
}

/// Throws if printed output could not be written; a reader that closed the pipe early is no error.
void finish_printing() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  if (errno == EPIPE) return;
  // errno is 0 if an earlier write of the command failed.
  const std::string reason = errno == 0 ? "" : fmt::format(": {}", std::strerror(errno));
  throw Error(ExitCode::file_error, "standard output cannot be written" + reason);
}

ExitCode complain(ExitCode code, const std::string& message) {
  std::fprintf(stderr, "kalaba: %s\n", shown_text(message).c_str());
  return code;
}

}  // namespace

ExitCode guarded(const std::function<ExitCode()>& work) {
  try {
    const ExitCode code = work();
    finish_printing();
    return code;
  } catch (const Error& error) {
    return complain(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return complain(ExitCode::internal_error, "not enough memory" + memory_limit_text());
  } catch (const std::exception& error) {
    return complain(ExitCode::internal_error, std::string("internal error: ") + error.what());
  } catch (...) {
    return complain(ExitCode::internal_error, "internal error");
  }
}

int run_cli(int argc, const char* const* argv) {
  ignore_write_signals();
  return static_cast<int>(guarded([&] { return parse_and_run(argc, argv); }));
}

}  // namespace kalaba
