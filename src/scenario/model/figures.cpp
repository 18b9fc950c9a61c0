#include "scenario/model/figures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text/nearest.hpp"

namespace kalaba::text_model {
namespace {

constexpr double default_tolerance = 1e-8;

std::vector<std::string> figure_names(const formula::Statement& statement) {
  std::vector<std::string> names;
  for (const auto* variables : {&statement.info.coordinates, &statement.info.rates}) {
    for (const Variable& each : *variables) names.push_back(each.name);
  }
  for (const formula::Equation& each : statement.invariants) names.push_back(each.name);
  return names;
}

double read_tolerance(const Node& table) {
  const auto node = entry_of(table, "tolerance");
  if (!node) return default_tolerance;
  if (node->number() <= 0) node->expected("a number greater than 0");
  return node->number();
}

}  // namespace

void read_figures(Draft& draft) {
  const auto node = draft.section("figures");
  if (!node) return;
  const std::vector<Node> tables = node->items("tables [[model.figures]]");
  if (!draft.is_default_structure) return;
  const std::vector<std::string> names = figure_names(draft.statement);
  for (const Node& table : tables) {
    const auto time = entry_of(table, "time");
    if (!time) table.fail("time is missing; add time = 1.0, when the figures are expected");
    if (time->number() < draft.statement.info.time.start) time->expected("a time behind the start");
    const double tolerance = read_tolerance(table);
    for (const Node& entry : table.entries()) {
      if (entry.name() == "time" || entry.name() == "tolerance") continue;
      if (std::ranges::count(names, entry.name()) == 0) {
        entry.fail(fmt::format("there is no coordinate, rate or invariant {}{}", entry.name(),
                               suggestion(entry.name(), names)));
      }
      draft.statement.info.figures.push_back({time->number(), entry.name(), entry.number(), tolerance});
    }
  }
}

}  // namespace kalaba::text_model
