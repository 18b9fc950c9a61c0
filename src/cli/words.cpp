#include "cli/words.hpp"

#include <CLI/CLI.hpp>

namespace kalaba {
namespace {

template <class T>
Option added(CLI::App* app, const std::string& names, T& value, const std::string& text) {
  return Option(app->add_option(names, value, text));
}

template <class T>
Option added_list(CLI::App* app, const std::string& names, std::vector<T>& values, const std::string& text) {
  CLI::Option* option = app->add_option(names, values, text);
  if (names.starts_with('-')) option->allow_extra_args(false);
  return Option(option);
}

}  // namespace

Option& Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}
Option& Option::required() {
  option_->required();
  return *this;
}
Option& Option::delimited() {
  option_->delimiter(',');
  return *this;
}
Option& Option::needs(const Option& other) {
  option_->needs(other.option_);
  return *this;
}
Option& Option::between(long least, long most) {
  option_->check(CLI::Range(least, most));
  return *this;
}
Option& Option::not_negative() {
  option_->check(CLI::NonNegativeNumber);
  return *this;
}
Option& Option::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}
Option& Option::check(const std::function<std::string(const std::string&)>& fault) {
  option_->check(fault);
  return *this;
}
bool Option::is_given() const { return option_->count() > 0; }
std::string Option::name() const { return option_->get_name(); }

CommandWords CommandWords::add_command(const std::string& name, const std::string& summary) const {
  CLI::App* command = app_->add_subcommand(name, summary);
  command->group("Commands");
  return CommandWords(command);
}
Option CommandWords::add_option(const std::string& names, std::string& value, const std::string& text) const {
  return added(app_, names, value, text);
}
Option CommandWords::add_option(const std::string& names, int& value, const std::string& text) const {
  return added(app_, names, value, text);
}
Option CommandWords::add_option(const std::string& names, long& value, const std::string& text) const {
  return added(app_, names, value, text);
}
Option CommandWords::add_option(const std::string& names, double& value, const std::string& text) const {
  return added(app_, names, value, text);
}
Option CommandWords::add_option(const std::string& names, std::vector<std::string>& value,
                                const std::string& text) const {
  return added_list(app_, names, value, text);
}
Option CommandWords::add_option(const std::string& names, std::vector<double>& value, const std::string& text) const {
  return added_list(app_, names, value, text);
}
Option CommandWords::add_flag(const std::string& names, bool& value, const std::string& text) const {
  return Option(app_->add_flag(names, value, text));
}
Option CommandWords::add_flag(const std::string& names, std::string& value, const std::string& text) const {
  return Option(app_->add_flag(names, value, text));
}
void CommandWords::add_overrides(std::vector<std::string>& overrides) const {
  add_option("-s,--set", overrides, "Override a key of the scenario: KEY=VALUE (repeatable)").type_name("KEY=VALUE");
}
void CommandWords::footer(const std::string& text) const { app_->footer(text); }

}  // namespace kalaba
