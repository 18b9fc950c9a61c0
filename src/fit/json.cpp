#include "fit/json.hpp"

#include "text/json.hpp"

namespace kalaba::fit {
namespace {

std::string variable_json(const FreeVariable& variable, const Estimate& estimate, std::size_t j) {
  JsonObject object;
  object.add("name", variable.name);
  object.add("unit", variable.unit);
  object.add("first", variable.first);
  object.add("lower_bound", variable.low);
  object.add("upper_bound", variable.high);
  if (estimate.values.empty()) return object.text();
  object.add("estimate", estimate.values[j]);
  object.add("standard_error", estimate.errors[j]);
  object.add_raw("interval", json_numbers({estimate.low[j], estimate.high[j]}));
  object.add("at_bound", static_cast<bool>(estimate.at_bound[j]));
  object.add("identifiable", static_cast<bool>(estimate.identifiable[j]));
  return object.text();
}

std::string start_counts(const Fit& fit) {
  JsonObject object;
  object.add("count", fit.starts.size());
  object.add("agree", fit.has_converged() ? fit.minima.front().starts : 0L);
  object.add("converged", fit.count(Outcome::converged));
  object.add("out_of_iterations", fit.count(Outcome::out_of_iterations));
  object.add("stuck", fit.count(Outcome::stuck));
  object.add("failed", fit.count(Outcome::failed));
  return object.text();
}

std::string minima_json(const Fit& fit) {
  std::vector<std::string> minima;
  for (const Minimum& each : fit.minima) {
    JsonObject object;
    object.add("starts", each.starts);
    object.add("cost", fit.starts[each.best].cost);
    object.add_raw("values", json_numbers(fit.starts[each.best].values));
    minima.push_back(object.text());
  }
  return json_array(minima);
}

void add_estimate(const Problem& problem, const Estimate& estimate, JsonObject& object) {
  std::vector<std::string> rows;
  for (const std::vector<double>& row : estimate.correlation) rows.push_back(json_numbers(row));
  object.add_raw("correlation", json_array(rows));
  object.add_raw("singular_values", json_numbers(estimate.singular_values));
  std::vector<std::string> directions;
  for (const Direction& each : estimate.directions) directions.push_back(json_numbers(each.change));
  object.add_raw("undetermined_directions", json_array(directions));
  object.add("cost", estimate.cost);
  object.add("degrees_of_freedom", estimate.freedom);
  object.add("standard_deviation", estimate.deviation);
  object.add("sigma_is_known", !problem.data.sigmas.empty());
  object.add_raw("columns", json_texts(problem.data.columns));
  object.add_raw("root_mean_squares", json_numbers(estimate.root_mean_squares));
}

}  // namespace

std::string fit_json(const Problem& problem, const Fit& fit, int exit_code,
                     const std::vector<std::string>& complaints) {
  JsonObject object;
  object.add("system", problem.system.info.name);
  object.add("exit_code", exit_code);
  object.add("converged", fit.has_converged());
  std::vector<std::string> variables;
  for (std::size_t j = 0; j < problem.free.size(); ++j) {
    variables.push_back(variable_json(problem.free[j], fit.estimate, j));
  }
  object.add_raw("variables", json_array(variables));
  object.add("numbers", problem.data.readings.size());
  object.add("times", problem.data.times.size());
  if (fit.has_estimate()) add_estimate(problem, fit.estimate, object);
  object.add_raw("starts", start_counts(fit));
  object.add_raw("minima", minima_json(fit));
  object.add("iterations", fit.starts[fit.best].iterations);
  object.add("runs", fit.runs);
  object.add("member_steps", fit.member_steps);
  object.add("wall_seconds", fit.seconds);
  object.add("device", fit.device);
  object.add_raw("notes", json_texts(fit.notes));
  object.add_raw("complaints", json_texts(complaints));
  return object.text();
}

}  // namespace kalaba::fit
