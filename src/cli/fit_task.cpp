#include "cli/fit_task.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "report/text/text.hpp"
#include "text/parse.hpp"

namespace kalaba {
namespace {

fit::Bounds bounds_of(const std::string& text) {
  const auto equals = text.find('=');
  const auto colon = text.find(':');
  if (equals != std::string::npos && colon != std::string::npos && colon > equals) {
    const std::optional<double> low =
        parse_signed_number<double>(std::string_view(text).substr(equals + 1, colon - equals - 1));
    const std::optional<double> high = parse_signed_number<double>(std::string_view(text).substr(colon + 1));
    if (low && high) return {text.substr(0, equals), *low, *high};
  }
  refuse_input(fmt::format("--bounds: expected NAME=LOW:HIGH, such as parameters.L=0.5:2, found {}", text));
}

std::pair<std::string, double> sigma_of(const std::string& text) {
  const auto equals = text.find('=');
  if (equals != std::string::npos) {
    if (const auto value = parse_signed_number<double>(std::string_view(text).substr(equals + 1)))
      return {text.substr(0, equals), *value};
  }
  refuse_input(fmt::format("--sigma: expected COLUMN=NUMBER, such as x=0.01, found {}", text));
}

fit::Request request_of(const FitWords& words) {
  fit::Request request;
  request.free = words.free;
  for (const std::string& each : words.bounds) request.bounds.push_back(bounds_of(each));
  for (const std::string& each : words.sigmas) request.sigmas.push_back(sigma_of(each));
  request.starts = words.starts;
  request.most_iterations = words.most_iterations;
  return request;
}

}  // namespace

FitTask prepare_fit(Scenario scenario, fit::Measurements data, const fit::Request& given) {
  const std::string& name = scenario.system->info.name;
  if (!scenario.member_formula.empty()) {
    refuse_input(fmt::format("{}: a fit does not go through formulas of members yet, found that of {}", name,
                             scenario.member_formula));
  }
  if (scenario.members > 1) {
    data.notes.push_back(
        fmt::format("{}: of its {} members the first one is the first start", name, grouped(scenario.members)));
  }
  for (const std::string& note : scenario.notes) data.notes.push_back(note);
  fit::Request request = given;
  request.seed = scenario.seed;
  const StartRule rule = scenario.holds_by_default ? StartRule::project : scenario.start_rule;
  fit::Problem problem =
      fit::make_problem(*scenario.system, *scenario.source, scenario.options, rule, std::move(data), request);
  return {std::move(scenario), std::move(problem)};
}

FitTask prepare_fit(const FitWords& words) {
  const fit::Request request = request_of(words);
  Scenario scenario = load_scenario(words.scenario, words.overrides);
  fit::check_free(scenario.system->info, request.free);
  fit::Measurements data = fit::read_measurements(words.data, scenario.system->info, words.columns);
  return prepare_fit(std::move(scenario), std::move(data), request);
}

}  // namespace kalaba
