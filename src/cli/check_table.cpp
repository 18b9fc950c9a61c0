#include "cli/check_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/table.hpp"

namespace kalaba {
namespace {

using check::Verdict;
using check::Verdicts;
using Row = std::vector<std::string>;

std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.1e}", value) : "-"; }

Row numbers(const Verdict& verdict) {
  if (verdict.outcome == check::Outcome::not_run) return {"-", "-"};
  return {number(verdict.error), number(verdict.tolerance)};
}

/// Subject of a verdict, in a few words.
std::string subject(const Verdict& verdict) {
  return fmt::format("{} ({}): {}", kind_name(verdict.kind), pseudo_inverse_name(verdict.pseudo_inverse),
                     verdict.detail);
}

bool together(const Verdict& a, const Verdict& b) { return a.system == b.system && a.backend == b.backend; }

const Verdict& worst_of(const Verdicts& verdicts) {
  return *std::ranges::max_element(verdicts, {}, [](const Verdict& each) { return severity(each); });
}

std::string outcome_text(const Verdicts& verdicts) {
  const long failures = count(verdicts, check::Outcome::failed);
  const long omissions = count(verdicts, check::Outcome::not_run);
  if (omissions == std::ssize(verdicts)) return "not run";
  const std::string rest = omissions > 0 ? fmt::format(", {} not run", omissions) : "";
  return (failures > 0 ? fmt::format("{} failed", failures) : "passed") + rest;
}

Row overview_row(const Verdicts& verdicts) {
  const Verdict& worst = worst_of(verdicts);
  Row row = {worst.system, std::string(backend_name(worst.backend)), std::to_string(verdicts.size())};
  for (std::string& cell : numbers(worst)) row.push_back(std::move(cell));
  row.push_back(outcome_text(verdicts));
  row.push_back(subject(worst));
  return row;
}

}  // namespace

std::string check_overview(const Verdicts& verdicts) {
  std::vector<Row> rows = {{"system", "backend", "checks", "error", "tolerance", "verdict", "worst of them"}};
  for (auto first = verdicts.begin(); first != verdicts.end();) {
    const auto next = std::find_if(first, verdicts.end(), [&](const Verdict& each) { return !together(*first, each); });
    rows.push_back(overview_row({first, next}));
    first = next;
  }
  return table_text(rows);
}

std::string check_table(const Verdicts& verdicts) {
  std::vector<Row> rows = {{"system", "backend", "error", "tolerance", "verdict", "what"}};
  for (const Verdict& each : verdicts) {
    Row row = {each.system, std::string(backend_name(each.backend))};
    for (std::string& cell : numbers(each)) row.push_back(std::move(cell));
    row.emplace_back(outcome_name(each.outcome));
    row.push_back(subject(each));
    rows.push_back(std::move(row));
  }
  return table_text(rows);
}

std::string check_summary(const Verdicts& verdicts) {
  return fmt::format("{} checks, {} failed, {} not run", verdicts.size(), count(verdicts, check::Outcome::failed),
                     count(verdicts, check::Outcome::not_run));
}

long count(const Verdicts& verdicts, check::Outcome outcome) {
  return std::ranges::count(verdicts, outcome, &Verdict::outcome);
}

}  // namespace kalaba
