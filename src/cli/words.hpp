#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kalaba {

// The words of the command line as commands declare them. CLI11 reads them; one file alone includes it, for each that
// does takes seconds to compile.

/// An option, a flag or an argument. What says more about it returns it.
class Option {
 public:
  Option() = default;
  explicit Option(CLI::Option* option) : option_(option) {}

  /// What help calls its value; nothing where that is empty.
  Option& type_name(const std::string& name);
  Option& required();
  /// "A,B,..." are several values.
  Option& delimited();
  /// Without that one it is refused.
  Option& needs(const Option& other);
  Option& between(long least, long most);
  Option& not_negative();
  Option& one_of(const std::vector<std::string>& words);
  /// fault(text) says what is wrong with a value; empty where nothing is.
  Option& check(const std::function<std::string(const std::string&)>& fault);

  bool is_given() const;
  std::string name() const;

 private:
  CLI::Option* option_ = nullptr;
};

/// A command's.
class CommandWords {
 public:
  CommandWords() = default;
  explicit CommandWords(CLI::App* app) : app_(app) {}

  CommandWords add_command(const std::string& name, const std::string& summary) const;

  /// An option where `names` begin with a dash, as "-o,--output", else an argument. A list's option takes one value
  /// each time that it is given, or several that are delimited.
  Option add_option(const std::string& names, std::string& value, const std::string& text) const;
  Option add_option(const std::string& names, int& value, const std::string& text) const;
  Option add_option(const std::string& names, long& value, const std::string& text) const;
  Option add_option(const std::string& names, double& value, const std::string& text) const;
  Option add_option(const std::string& names, std::vector<std::string>& value, const std::string& text) const;
  Option add_option(const std::string& names, std::vector<double>& value, const std::string& text) const;
  Option add_flag(const std::string& names, bool& value, const std::string& text) const;
  /// One that may bring a value along: --plot or --plot=FILE, and "true" where it has none.
  Option add_flag(const std::string& names, std::string& value, const std::string& text) const;
  /// -s KEY=VALUE, which commands that read a scenario share.
  void add_overrides(std::vector<std::string>& overrides) const;
  void footer(const std::string& text) const;

  CLI::App* app() const { return app_; }

 private:
  CLI::App* app_ = nullptr;
};

}  // namespace kalaba
