#include "scenario/option_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "scenario/document/toml_text.hpp"

namespace kalaba {
namespace {

std::string toml_numbers(const std::vector<double>& values) {
  std::vector<std::string> numbers;
  for (const double value : values) numbers.push_back(toml_number(value));
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

std::string toml_histogram(const StatisticsOptions& statistics) {
  std::string text = fmt::format("{{ bins = {}", statistics.bins);
  for (const auto& [component, low, high] : statistics.histograms) {
    text += fmt::format(", {} = [{}, {}]", toml_string(component), toml_number(low), toml_number(high));
  }
  return text + " }";
}

std::string toml_of(const NumberOption& number, const Options& options) {
  const double value = number.member.get(options);
  if (number.may_be_unset && value == 0) return "";
  return number.is_whole ? fmt::format("{:.0f}", value) : toml_number(value);
}

std::string toml_of(const FlagOption& flag, const Options& options) {
  return flag.member.get(options) != 0 ? "true" : "false";
}

std::string toml_of(const ChoiceOption& choice, const Options& options) {
  const double value = choice.member.get(options);
  return fmt::format("\"{}\"",
                     std::ranges::find(choice.choices, value, [](const auto& each) { return each.first; })->second);
}

std::string toml_of(OptionForm form, const Options& options) {
  const StatisticsOptions& statistics = options.statistics;
  switch (form) {
    case OptionForm::save_every:
      if (!options.save_at.empty()) return "";
      return options.time.save_every > 0 ? fmt::format("{}", options.time.save_every) : "\"final\"";
    case OptionForm::save_at:
      return options.save_at.empty() ? "" : toml_numbers(options.save_at);
    case OptionForm::stabilization:
      return toml_stabilization(options.method.stabilization);
    case OptionForm::devices:
      return fmt::format("[{}]", fmt::join(options.devices, ", "));
    case OptionForm::fields:
      return toml_fields(options.fields);
    case OptionForm::statistics:
      return toml_statistics(statistics.kinds);
    case OptionForm::quantiles:
      return statistics.has(Statistic::quantiles) ? toml_numbers(statistics.quantiles) : "";
    case OptionForm::histogram:
      return statistics.has(Statistic::histogram) ? toml_histogram(statistics) : "";
    case OptionForm::group_by:
      return statistics.group_by.empty() ? "" : toml_string(statistics.group_by);
  }
  return "";
}

std::vector<std::string> words_of(const RunOption& option) {
  std::vector<std::string> words;
  if (const auto* choice = std::get_if<ChoiceOption>(&option.value)) {
    for (const auto& [value, word] : choice->choices) words.emplace_back(word);
  }
  return words;
}

/// Meaning with the runs that the option is for.
std::string full_meaning(const RunOption& option) {
  if (option.use == OptionUse::adaptive_steps) return "of adaptive steps: " + option.meaning;
  return option.use == OptionUse::swarms ? "of a swarm: " + option.meaning : option.meaning;
}

std::string joined(const std::string& words, const std::string& meaning) {
  return words.empty() || meaning.empty() ? words + meaning : words + ": " + meaning;
}

std::string page_row(const RunOption& option) {
  std::vector<std::string> words;
  for (const std::string& word : words_of(option)) words.push_back(fmt::format("`\"{}\"`", word));
  std::string value = joined(fmt::format("{}", fmt::join(words, ", ")), full_meaning(option));
  if (*option.page != '\0') value += fmt::format("; see [{0}]({0})", option.page);
  for (std::size_t at = value.find('|'); at != std::string::npos; at = value.find('|', at + 2)) value.insert(at, "\\");
  std::string by_default = option.default_text;
  if (by_default.empty()) by_default = fmt::format("`{}`", toml_value(option, {}));
  if (option.single_default)
    by_default += fmt::format("; `{}` in single precision", toml_number(*option.single_default));
  return fmt::format("| `{}` | {} | {} |\n", option.key, value, by_default);
}

}  // namespace

std::string toml_stabilization(const Stabilization& stabilization) {
  if (stabilization.kind == Stabilization::Kind::none) return "\"none\"";
  if (stabilization.kind == Stabilization::Kind::projection) return "\"projection\"";
  if (stabilization.position_gain == 0) {
    return fmt::format("{{ feedback = {} }}", toml_number(stabilization.rate_gain));
  }
  return fmt::format("{{ baumgarte = [{}, {}] }}", toml_number(stabilization.rate_gain / 2),
                     toml_number(std::sqrt(stabilization.position_gain)));
}

std::string toml_statistics(const std::vector<Statistic>& kinds) {
  std::vector<std::string> names;
  for (const Statistic kind : kinds) names.push_back(fmt::format("\"{}\"", statistic_name(kind)));
  return fmt::format("[{}]", fmt::join(names, ", "));
}

std::string toml_fields(const SavedFields& fields) {
  std::vector<std::string> names;
  for (const Field field : all_fields) {
    const std::vector<std::string>& components = fields.components(field);
    for (const std::string& each : components) names.push_back(fmt::format("\"{}\"", each));
    if (fields.has(field) && components.empty()) names.push_back(fmt::format("\"{}\"", field_name(field)));
  }
  return fmt::format("[{}]", fmt::join(names, ", "));
}

std::string adaptive_names(std::string_view between) {
  std::vector<std::string_view> names;
  for (const IntegratorFacts& each : integrators) {
    if (each.adapts()) names.emplace_back(each.name);
  }
  return fmt::format("{}", fmt::join(names, between));
}

std::string toml_value(const RunOption& option, const Options& options) {
  return std::visit([&](const auto& value) { return toml_of(value, options); }, option.value);
}

std::string toml_options(std::string_view table, const Options& options, bool is_swarm,
                         std::span<const RunOption> rows) {
  std::string text;
  for (const RunOption& option : rows) {
    if (option.table() != table || !is_available(option, options, is_swarm)) continue;
    const std::string value = toml_value(option, options);
    if (!value.empty()) text += fmt::format("{} = {}\n", option.name(), value);
  }
  return text;
}

std::string option_comment(const RunOption& option) {
  return joined(fmt::format("{}", fmt::join(words_of(option), " | ")), full_meaning(option));
}

std::string options_page(std::span<const RunOption> rows) {
  std::string text;
  std::string_view table;
  for (const RunOption& option : rows) {
    if (option.table() != table)
      text += (table.empty() ? "" : "\n") + std::string("| key | value | default |\n|---|---|---|\n");
    table = option.table();
    text += page_row(option);
  }
  return text;
}

std::string python_type(const RunOption& option) {
  if (const auto* number = std::get_if<NumberOption>(&option.value)) return number->is_whole ? "int" : "float";
  if (std::holds_alternative<FlagOption>(option.value)) return "bool";
  const std::vector<std::string> words = words_of(option);
  return words.empty() ? "Any" : fmt::format("Literal[\"{}\"]", fmt::join(words, "\", \""));
}

}  // namespace kalaba
