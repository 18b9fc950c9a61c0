#include "cli/fit_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "cli/table.hpp"
#include "report/text/text.hpp"

namespace kalaba {
namespace {

using fit::Estimate;
using fit::Fit;
using fit::FreeVariable;
using fit::Problem;
using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t most_minima = 5;

std::string unit_text(const std::string& unit) { return unit.empty() || unit == "1" ? "" : " " + unit; }

/// Prints a value up to the second digit of its error.
std::string digits_text(double value, double error) {
  if (!(error > 0) || !std::isfinite(error)) return fmt::format("{:.8g}", value);
  const int place = static_cast<int>(std::floor(std::log10(error))) - 1;
  const int first = value == 0 ? place : static_cast<int>(std::floor(std::log10(std::abs(value))));
  if (place < 0 && place > -12 && first < 6) return fmt::format("{:.{}f}", value, -place);
  return fmt::format("{:.{}g}", value, std::clamp(first - place + 1, 1, 17));
}

std::string column_unit(const Problem& problem, const std::string& name) {
  for (const auto* variables : {&problem.system.info.coordinates, &problem.system.info.rates}) {
    for (const Variable& each : *variables) {
      if (each.name == name) return unit_text(each.unit);
    }
  }
  return "";
}

std::string heading(const Problem& problem) {
  const fit::Measurements& data = problem.data;
  return fmt::format("{}: {} variable{} from {} numbers of {} at {} times\n", problem.system.info.name,
                     problem.free.size(), problem.free.size() == 1 ? "" : "s",
                     grouped(static_cast<long>(data.readings.size())), fmt::join(data.columns, ", "),
                     grouped(static_cast<long>(data.times.size())));
}

std::string residual_text(const Problem& problem, const Estimate& estimate) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < problem.data.columns.size(); ++i) {
    if (std::isnan(estimate.root_mean_squares[i])) continue;
    parts.push_back(fmt::format("{} {:.3g}{}", problem.data.columns[i], estimate.root_mean_squares[i],
                                column_unit(problem, problem.data.columns[i])));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string freedom_text(const Problem& problem, const Estimate& estimate) {
  const std::string over = fmt::format("{} degrees of freedom", grouped(estimate.freedom));
  if (!problem.data.sigmas.empty()) {
    if (estimate.freedom == 0) return over;
    const double reduced = estimate.cost / static_cast<double>(estimate.freedom);
    const double noise = std::sqrt(2 / static_cast<double>(estimate.freedom));
    const char* const word = reduced > 1 + 5 * noise
                                 ? ": the residuals are larger than --sigma, because of the model or the data"
                             : reduced < 1 - 5 * noise ? ": the residuals are smaller than --sigma"
                                                       : "";
    return fmt::format("chi-square {:.3g} a degree, {}{}", reduced, over, word);
  }
  if (estimate.freedom == 0) return over + ": without --sigma there is no estimate of the errors";
  return fmt::format("a number's standard deviation {:.3g}, from the residuals; {}", estimate.deviation, over);
}

std::string line(const std::string& title, const std::string& text) {
  return fmt::format("  {:<12} {}\n", title, text);
}

std::string titled_table(const std::string& title, const Rows& rows) { return "  " + title + "\n" + table_text(rows); }

std::string work_text(const Fit& fit) {
  return fmt::format("{} of the best start; {} runs, {} member-steps in {}", fit.starts[fit.best].iterations, fit.runs,
                     scaled(fit.member_steps), duration(fit.seconds));
}

std::string singular_text(const Estimate& estimate) {
  std::vector<std::string> numbers;
  for (const double each : estimate.singular_values) numbers.push_back(fmt::format("{:.3g}", each));
  return fmt::format("singular values {} of the Jacobian with columns of length 1", fmt::join(numbers, ", "));
}

std::string direction_text(const Problem& problem, const fit::Direction& direction) {
  std::vector<std::string> parts;
  for (std::size_t j = 0; j < problem.free.size(); ++j) {
    if (direction.change[j] == 0) continue;
    parts.push_back(
        fmt::format("{} by {:+.3g}{}", problem.free[j].name, direction.change[j], unit_text(problem.free[j].unit)));
  }
  return fmt::format("to change {}{} changes no residual", fmt::join(parts, " and "),
                     parts.size() > 1 ? " together" : "");
}

}  // namespace

std::string estimate_text(const FreeVariable& variable, double value, double error) {
  const std::string number = digits_text(value, error);
  return std::isfinite(error) ? fmt::format("{} ± {:.2g}{}", number, error, unit_text(variable.unit))
                              : number + unit_text(variable.unit);
}

std::string starts_text(const Fit& fit) {
  const auto agree = fit.has_converged() ? fit.minima.front().starts : 0;
  std::string text = fmt::format("{}: {} agree{}", grouped(static_cast<long>(fit.starts.size())), grouped(agree),
                                 agree == 1 ? "s" : "");
  const auto add = [&](long count, const char* words) {
    if (count > 0) text += fmt::format(", {} {}", grouped(count), words);
  };
  add(fit.count(fit::Outcome::converged) - agree, "converged elsewhere");
  add(fit.count(fit::Outcome::out_of_iterations), "out of iterations");
  add(fit.count(fit::Outcome::stuck), "stuck where motions fail");
  add(fit.count(fit::Outcome::failed), "failed at once");
  return text;
}

Rows estimate_rows(const Problem& problem, const Fit& fit) {
  const Estimate& estimate = fit.estimate;
  Rows rows = {{"variable", "estimate", "standard error", "95 % interval", ""}};
  for (std::size_t j = 0; j < problem.free.size(); ++j) {
    const double value = estimate.values[j];
    const double error = estimate.errors[j];
    const std::string unit = unit_text(problem.free[j].unit);
    std::vector<std::string> row = {problem.free[j].name, digits_text(value, error) + unit};
    if (estimate.at_bound[j]) {
      row.insert(row.end(), {"", "", "at its bound"});
    } else if (!estimate.identifiable[j]) {
      row.insert(row.end(), {"", "", "not determined by these data"});
    } else if (std::isnan(error)) {
      row.insert(row.end(), {"", "", ""});
    } else {
      row.insert(row.end(), {fmt::format("{:.2g}{}", error, unit),
                             fmt::format("{} to {}{}", digits_text(estimate.low[j], error),
                                         digits_text(estimate.high[j], error), unit),
                             ""});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Rows correlation_rows(const Problem& problem, const Fit& fit) {
  Rows rows = {{""}};
  for (std::size_t i = 0; i < problem.free.size(); ++i) {
    rows.front().push_back(problem.free[i].name);
    rows.push_back({problem.free[i].name});
    for (std::size_t j = 0; j <= i; ++j) {
      const double value = fit.estimate.correlation[i][j];
      rows.back().push_back(std::isnan(value) ? "-" : fmt::format("{:.3f}", value));
    }
  }
  return rows;
}

Rows minimum_rows(const Problem& problem, const Fit& fit) {
  Rows rows = {{"starts", "sum of squares"}};
  for (const FreeVariable& each : problem.free) rows.front().push_back(each.name);
  for (std::size_t i = 0; i < std::min(fit.minima.size(), most_minima); ++i) {
    const fit::Start& best = fit.starts[fit.minima[i].best];
    rows.push_back({grouped(fit.minima[i].starts), fmt::format("{:.6g}", best.cost)});
    for (const double value : best.values) rows.back().push_back(fmt::format("{:.6g}", value));
  }
  return rows;
}

std::string fit_text(const Problem& problem, const Fit& fit) {
  const Estimate& estimate = fit.estimate;
  std::string text = heading(problem) + table_text(estimate_rows(problem, fit));
  text += line("residuals", residual_text(problem, estimate) + " (root mean square)");
  text += line("errors", freedom_text(problem, estimate));
  text += line("starts", starts_text(fit));
  text += line("iterations", work_text(fit));
  if (!estimate.singular_values.empty()) text += line("identified", singular_text(estimate));
  if (problem.free.size() > 1) text += titled_table("correlation", correlation_rows(problem, fit));
  if (fit.minima.size() > 1) {
    const std::string shown = fit.minima.size() > most_minima
                                  ? fmt::format("the best {} of {} minima", most_minima, fit.minima.size())
                                  : fmt::format("{} minima", fit.minima.size());
    text += titled_table(shown, minimum_rows(problem, fit));
  }
  for (const std::string& note : fit.notes) text += line("note", note);
  return text;
}

std::vector<std::string> fit_complaints(const Problem& problem, const Fit& fit) {
  std::vector<std::string> lines;
  const std::string name = problem.system.info.name + ": ";
  if (!fit.has_estimate()) {
    const fit::Start& first = fit.starts.front();
    const std::string why = first.overflows
                                ? "the sum of its squared residuals overflows: the data, over sigma, are too large"
                            : first.status == Status::ok ? "its derivatives do not exist, near a singular position"
                                                         : std::string(status_name(first.status));
    const std::string whose = fit.starts.size() == 1
                                  ? "that of the first values"
                                  : fmt::format("none of {} starts; that of the scenario's own values",
                                                grouped(static_cast<long>(fit.starts.size())));
    lines.push_back(fmt::format("{}no motion goes through: {} fails: {}", name, whose, why));
    return lines;
  }
  if (!fit.has_converged()) {
    lines.push_back(fmt::format("{}no start converges ({}): the values are those to which the best one came", name,
                                starts_text(fit)));
  }
  for (const fit::Direction& each : fit.estimate.directions) {
    lines.push_back(
        fmt::format("{}these data do not determine all variables: {}", name, direction_text(problem, each)));
  }
  return lines;
}

}  // namespace kalaba
