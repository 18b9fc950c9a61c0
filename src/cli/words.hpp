#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kalaba {

// Command-line words as commands declare them. CLI11 parses them; only one file includes it, because each inclusion
// takes seconds to compile.

/// An option, a flag or an argument. Functions that set a property return the option.
class Option {
 public:
  Option() = default;
  explicit Option(CLI::Option* option) : option_(option) {}

  /// Name of its value in the help; none if empty.
  Option& type_name(const std::string& name);
  Option& required();
  /// "A,B,..." are several values.
  Option& delimited();
  /// The option is refused without `other`.
  Option& needs(const Option& other);
  Option& between(long least, long most);
  Option& not_negative();
  Option& one_of(const std::vector<std::string>& words);
  /// fault(text) returns the fault of a value; empty if there is none.
  Option& check(const std::function<std::string(const std::string&)>& fault);

  bool is_given() const;
  std::string name() const;

 private:
  CLI::Option* option_ = nullptr;
};

/// Words of a command.
class CommandWords {
 public:
  CommandWords() = default;
  explicit CommandWords(CLI::App* app) : app_(app) {}

  CommandWords add_command(const std::string& name, const std::string& summary) const;

  /// Adds an option if `names` begin with a dash, as "-o,--output", else an argument. An option with a list takes one
  /// value each time that it is given, or several if it is delimited.
  Option add_option(const std::string& names, std::string& value, const std::string& text) const;
  Option add_option(const std::string& names, int& value, const std::string& text) const;
  Option add_option(const std::string& names, long& value, const std::string& text) const;
  Option add_option(const std::string& names, double& value, const std::string& text) const;
  Option add_option(const std::string& names, std::vector<std::string>& value, const std::string& text) const;
  Option add_option(const std::string& names, std::vector<double>& value, const std::string& text) const;
  Option add_flag(const std::string& names, bool& value, const std::string& text) const;
  /// Adds a flag with an optional value: --plot or --plot=FILE; the value is "true" if none is given.
  Option add_flag(const std::string& names, std::string& value, const std::string& text) const;
  /// -s KEY=VALUE, which commands that read a scenario share.
  void add_overrides(std::vector<std::string>& overrides) const;
  void footer(const std::string& text) const;

  CLI::App* app() const { return app_; }

 private:
  CLI::App* app_ = nullptr;
};

}  // namespace kalaba
