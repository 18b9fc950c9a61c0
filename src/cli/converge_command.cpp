#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <memory>

#include "check/convergence.hpp"
#include "cli/command.hpp"
#include "cli/table.hpp"
#include "report/figure/error_picture.hpp"
#include "report/figure/page.hpp"
#include "report/text/progress.hpp"
#include "report/text/text.hpp"
#include "scenario/scenario.hpp"

namespace kalaba {
namespace {

/// Returns the fault of a requested error; empty if there is none.
std::string fault_of_error(const std::string& text) {
  const char* const end = text.data() + text.size();
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const bool is_good = error == std::errc() && rest == end && value > 0;
  return is_good ? "" : "expected a number above 0, found " + text;
}

struct ConvergeRequest {
  std::string scenario;
  std::vector<std::string> overrides;
  std::string picture;
  check::ConvergencePlan plan;
  bool quiet = false;
};

std::string size_of(double value, const std::string& unit) {
  return fmt::format("{:.2g}{}", value, unit.empty() || unit == "1" ? "" : " " + unit);
}

std::string step_name(const check::Convergence& of) { return of.adaptive ? "relative tolerance" : "dt"; }

std::string step_text(const check::Convergence& of, double step) {
  return of.adaptive ? fmt::format("{:.2g}", step) : fmt::format("{:.3g} s", step);
}

std::vector<std::string> row_of(const check::Convergence& of, const check::QuantityConvergence& quantity) {
  const std::string order =
      std::isnan(quantity.order) ? (quantity.is_rounding() ? "rounding" : "-") : fmt::format("{:.2f}", quantity.order);
  std::string sufficient = std::isnan(quantity.sufficient) ? "not seen" : step_text(of, quantity.sufficient);
  if (quantity.is_rounding()) sufficient = "any of these";
  if (quantity.is_hidden) sufficient = "below rounding";
  if (quantity.sufficient > 3.99 * of.steps.front()) sufficient += " and more";
  return {quantity.name,
          size_of(quantity.worst.front(), quantity.unit),
          quantity.size > 0 ? fmt::format("{:.1g}", quantity.worst.front() / quantity.size) : "",
          size_of(quantity.typical.front(), quantity.unit),
          order,
          sufficient};
}

std::string verdict(const check::Convergence& of) {
  if (of.compared == 0) return "every member fails at some level: there is nothing to compare\n";
  const std::string requested = fmt::format("{:g} of every quantity's size", of.requested);
  const auto hidden = std::ranges::find_if(of.quantities, &check::QuantityConvergence::is_hidden);
  if (hidden != of.quantities.end()) {
    return fmt::format("no {} can be named for {}: of {}, errors below {} are rounding\n", step_name(of), requested,
                       hidden->name, size_of(hidden->rounding, hidden->unit));
  }
  if (std::isnan(of.sufficient)) {
    return fmt::format("no {} can be named for {}: a quantity above does not converge yet, begin with finer steps\n",
                       step_name(of), requested);
  }
  if (of.sufficient < of.least) {
    return fmt::format("{}: {} = {} would suffice, which is below the least, {}\n", requested, step_name(of),
                       step_text(of, of.sufficient), step_text(of, of.least));
  }
  const bool enough = of.sufficient >= of.steps.front();
  return fmt::format("{}: {} = {} {}\n", requested, step_name(of),
                     step_text(of, enough ? of.steps.front() : of.sufficient),
                     enough ? "suffices, as it is" : "suffices");
}

void print(const System& system, const check::Convergence& of) {
  std::string steps;
  for (const double step : of.steps) steps += (steps.empty() ? "" : ", ") + step_text(of, step);
  std::string text = fmt::format("{}: {} member{} at {} = {}, in {}\n", system.info.name, grouped(of.members),
                                 of.members == 1 ? "" : "s", step_name(of), steps, duration(of.seconds));
  if (of.compared < of.members) text += fmt::format("{} fail and are left out\n", grouped(of.members - of.compared));
  if (of.changed > 0) text += fmt::format("{} end in another status at another level\n", grouped(of.changed));
  const std::string coarse = fmt::format("worst error at {}", step_text(of, of.steps.front()));
  std::vector<std::vector<std::string>> rows = {{"quantity", coarse, "of its size", "typical", "order", "suffices"}};
  for (const check::QuantityConvergence& each : of.quantities) rows.push_back(row_of(of, each));
  if (rows.size() > 1) text += table_text(rows);
  std::fputs((text + verdict(of)).c_str(), stdout);
}

void draw(const ConvergeRequest& request, const System& system, const check::Convergence& of) {
  ErrorPicture picture;
  picture.title = system.info.name;
  picture.subtitle = fmt::format("{} members compared at {} levels", grouped(of.compared), of.steps.size());
  picture.step_label = of.adaptive ? "relative tolerance" : "dt (s)";
  picture.steps = of.steps;
  picture.requested = of.requested;
  for (const check::QuantityConvergence& each : of.quantities) {
    if (!(each.size > 0)) continue;
    picture.lines.push_back({each.name, each.worst});
    for (double& error : picture.lines.back().errors) error /= each.size;
  }
  draw_errors(picture, request.picture);
  std::fputs((request.picture + "\n").c_str(), stdout);
}

ExitCode converge(ConvergeRequest& request) {
  if (!request.picture.empty()) picture_ending(request.picture);
  const Scenario scenario = load_scenario(request.scenario, request.overrides);
  check::ConvergencePlan& plan = request.plan;
  plan.system = scenario.system.get();
  plan.source = scenario.source.get();
  plan.options = scenario.options;
  plan.options.statistics = {};
  check::Convergence result;
  {
    ProgressBar bar(stderr);
    result = check::converge(plan, [&](int level) {
      if (!request.quiet) bar.update(fmt::format("level {} of {}", level + 1, plan.levels));
    });
  }
  print(*scenario.system, result);
  if (!request.picture.empty()) draw(request, *scenario.system, result);
  return result.compared == 0 ? ExitCode::members_failed : ExitCode::ok;
}

}  // namespace

Command add_converge_command(const CommandWords& app) {
  const CommandWords words =
      app.add_command("converge", "Say how accurate a scenario is: orders, errors, and which step suffices");
  const auto request = std::make_shared<ConvergeRequest>();
  words.add_option("SCENARIO", request->scenario, "A scenario file (.toml) or the name of a system")
      .type_name("")
      .required();
  words.add_overrides(request->overrides);
  words.add_option("--members", request->plan.members, "A sample of at most so many, evenly chosen (100)")
      .type_name("N")
      .between(1L, 1'000'000L);
  words.add_option("--levels", request->plan.levels, "dt, dt/2, dt/4, ... (3), of adaptive steps tolerances by tens")
      .type_name("N")
      .between(3, 8);
  words
      .add_option("--error", request->plan.requested,
                  "The required error, as a share of each quantity's largest magnitude (1e-6)")
      .type_name("X")
      .check(fault_of_error);
  words.add_option("-o,--output", request->picture, "Draw the errors over the step (.png or .svg)")
      .type_name("PICTURE");
  words.add_flag("--quiet", request->quiet, "No progress");
  words.footer(
      "Errors are estimated by Richardson's extrapolation of the two finest levels: the worst and the root mean square "
      "over\n"
      "members and saved times. A quantity that does not converge at its method's order yet needs finer steps.\n"
      "Example:\n"
      "  kalaba converge pendulum.toml --error 1e-8 -o errors.png");
  return {words, [request] { return converge(*request); }};
}

}  // namespace kalaba
